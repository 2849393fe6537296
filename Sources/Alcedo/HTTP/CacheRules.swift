/// The defaults for responses that don't specify how long caches may use them.
public struct CacheRules: Sendable, Hashable {
    /// The lifetime of a response with no max-age, Expires or Last-Modified. In whole seconds, at least zero; with
    /// zero, the response is revalidated each time. Default: one hour.
    public var defaultLifetime = Duration.seconds(3600)
    /// The time for which a stale response may be shown when the server can't be reached or fails, unless the response
    /// specifies stale-if-error, or forbids this with must-revalidate or no-cache. In whole seconds, at least zero.
    /// Default: 24 hours.
    public var staleIfError = Duration.seconds(24 * 3600)
    /// Whether the transport adds cookies to the request, which no cache key contains.
    var addsCookies = false

    /// Creates rules with the default values.
    public init() {}
}
