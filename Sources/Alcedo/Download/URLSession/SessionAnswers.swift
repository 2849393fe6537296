/// The answers to a session's challenges, or the error of settings that it can't use.
struct SessionAnswers: Sendable {
    let hook: URLSessionDataLoader.ChallengeHook?
    /// Nil if the settings can be used.
    let refusal: ImageLoaderError?

    /// - Parameter own: The program's own answers, which come first; nil for none.
    init(_ settings: TransportSettings, _ own: URLSessionDataLoader.ChallengeHook?) {
        do throws(ImageLoaderError) {
            let answers = try settings.answersToChallenges()
            if own != nil, settings.decidesAboutServers {
                throw .unsupportedConfiguration(
                    "a closure decides which servers are trusted, so TransportSettings.authorities and "
                        + "insecureHostsWithUncheckedCertificates must not be set")
            }
            hook = if let own, let answers { { own($0) ?? answers($0) } } else { own ?? answers }
            refusal = nil
        } catch {
            hook = nil
            refusal = error
        }
    }
}
