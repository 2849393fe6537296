#if !canImport(Darwin)
extension TransportSettings {
    /// Always nil: Foundation's session doesn't send challenges for certificates here.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` if there are settings for certificates.
    func answersToChallenges() throws(ImageLoaderError) -> URLSessionDataLoader.ChallengeHook? {
        let names = [
            authorities == nil ? nil : "authorities",
            insecureHostsWithUncheckedCertificates.isEmpty ? nil : "insecureHostsWithUncheckedCertificates",
            clientCertificate == nil ? nil : "clientCertificate",
        ]
        guard let name = names.lazy.compactMap(\.self).first else { return nil }
        throw .unsupportedConfiguration(
            "URLSessionDataLoader can't keep TransportSettings.\(name): it trusts the system's certificate authorities "
                + "only, and shows no certificate. On Linux, CurlDataLoader can.")
    }
}
#endif
