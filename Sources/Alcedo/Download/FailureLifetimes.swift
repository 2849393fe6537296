/// For how long a failed URL is answered with its failure, without asking the server again.
///
/// Only failures that the same request would meet again are the answer to others. Those of the network and of the
/// server (500 and above), malformed responses, and the statuses that credentials, load or time change (401, 403, 407,
/// 408, 409, 421, 423, 425 and 429) are not. Each is from 0, which
/// remembers nothing of its class, to a year.
public struct FailureLifetimes: Sendable, Hashable {
    /// Status 404. Default 5 minutes.
    public var notFound: Duration = .seconds(300)
    /// Status 410: the server says that it is for good. Default 1 hour.
    public var gone: Duration = .seconds(3600)
    /// The other statuses from 400 to 499. Default 5 minutes.
    public var refused: Duration = .seconds(300)
    /// Redirects that are not followed, or are too many. Default 1 minute.
    public var redirects: Duration = .seconds(60)
    /// Bodies that are no picture, or a damaged, unsupported, empty or too large one. Default 1 minute, as the login
    /// page of a public network may have come in place of every picture.
    public var unusableBody: Duration = .seconds(60)

    /// Any failure, transient ones too, for requests with ``ImageRequest/fallbacks``: for this long, a fallback in
    /// memory or on disk is returned without asking the failed URL again. If no fallback is cached, the URL is asked as
    /// usual. Requests without fallbacks aren't affected. Default 30 seconds.
    public var withCachedFallback: Duration = .seconds(30)

    /// The defaults.
    public init() {}

    /// Remembers no failure.
    public static let none: FailureLifetimes = {
        var lifetimes = FailureLifetimes()
        lifetimes.notFound = .zero
        lifetimes.gone = .zero
        lifetimes.refused = .zero
        lifetimes.redirects = .zero
        lifetimes.unusableBody = .zero
        lifetimes.withCachedFallback = .zero
        return lifetimes
    }()

    func validate() throws(ImageLoaderError) {
        let all = [
            ("notFound", notFound), ("gone", gone), ("refused", refused), ("redirects", redirects),
            ("unusableBody", unusableBody), ("withCachedFallback", withCachedFallback),
        ]
        for (name, lifetime) in all {
            try ImageLoaderError.require(
                "download.failureLifetimes.\(name)", lifetime, least: .zero, most: .seconds(365 * 86_400))
        }
    }

    /// For how long a cached fallback answers in place of the URL that failed with `error`; zero is not at all.
    package func lifetimeWithFallback(of error: ImageLoaderError) -> Duration {
        error == .cancelled ? .zero : withCachedFallback
    }

    /// For how long `error` is remembered; zero is not at all.
    package func lifetime(of error: ImageLoaderError) -> Duration {
        switch error {
        case .badStatus(404): notFound
        case .badStatus(410): gone
        case .badStatus(let status):
            (400...499).contains(status) && !Self.passingStatuses.contains(status) ? refused : .zero
        case .redirectRefused, .limitExceeded(.redirects, _, _): redirects
        case .notAnImage, .unsupportedFormat, .unsupportedImage, .corruptImage, .emptyBody, .limitExceeded: unusableBody
        default: .zero
        }
    }

    private static let passingStatuses: Set = [401, 403, 407, 408, 409, 421, 423, 425, 429]
}
