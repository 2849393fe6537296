/// Lifetimes during which a failed URL returns its failure without asking the server again.
///
/// Other URLs to which a ``CacheKeyPolicy`` or ``ImageRequest/cacheKey`` gives the same key don't return it.
///
/// Only failures that the same request would meet again are returned to later callers. Network failures, server errors
/// (500 and above), malformed responses, and statuses that change with credentials, load or time (401, 403, 407, 408,
/// 409, 421, 423, 425 and 429) aren't.
///
/// If a response with an error status specifies its freshness, or says that it must not be stored or reused, that
/// replaces any lifetime other than zero, up to one year.
///
/// Each lifetime ranges from zero, which remembers no failure of that kind, to one year.
public struct FailureLifetimes: Sendable, Hashable {
    /// The lifetime of status 404. Default 5 minutes.
    public var notFound: Duration = .seconds(300)
    /// The lifetime of status 410, which the server declares permanent. Default 1 hour.
    public var gone: Duration = .seconds(3600)
    /// The lifetime of the remaining statuses from 400 to 499. Default 5 minutes.
    public var refused: Duration = .seconds(300)
    /// The lifetime of redirects that aren't followed or are too many. Default 1 minute.
    public var redirects: Duration = .seconds(60)
    /// The lifetime of bodies that aren't an image, or are a damaged, unsupported, empty or too large one.
    ///
    /// Default 1 minute, because a public network may return its login page in place of every image.
    public var unusableBody: Duration = .seconds(60)

    /// The time for which a cached substitute is returned without asking the failed URL again. Default 30 seconds.
    ///
    /// After any failure, including transient ones, the substitute is one of the request's ``ImageRequest/fallbacks``.
    /// After failures for which a stale response may be used (``StaleReason/afterError``), it is that response. If
    /// neither is in memory or on disk, the URL is requested as usual.
    public var withCachedFallback: Duration = .seconds(30)

    /// Creates lifetimes with the default values.
    public init() {}

    /// Lifetimes that remember no failure.
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
                "download.failureLifetimes.\(name)", lifetime, least: .zero, most: Self.longest)
        }
    }

    /// How long `error` is remembered.
    ///
    /// - Parameter freshness: How long the server says that its answer is fresh; nil if it doesn't say.
    func lifetime(of error: ImageLoaderError, freshness: Duration?) -> Duration {
        let lifetime = lifetime(of: error)
        guard lifetime > .zero, case .badStatus = error, let freshness else { return lifetime }
        return min(freshness, Self.longest)
    }

    private static let longest = Duration.seconds(365 * 86_400)

    /// The time for which `error` is remembered if its response specifies none; zero if it isn't remembered.
    package func lifetime(of error: ImageLoaderError) -> Duration {
        switch error {
        case _ where error.isTransient: .zero
        case .badStatus(404): notFound
        case .badStatus(410): gone
        case .badStatus: refused
        case .limitExceeded(.requestBytes, _, _): .zero
        case .redirectRefused, .limitExceeded(.redirects, _, _): redirects
        case .notAnImage, .unsupportedFormat, .unsupportedImage, .corruptImage, .emptyBody, .limitExceeded: unusableBody
        default: .zero
        }
    }
}
