public import Foundation

/// A complete response.
public struct DataResponse: Sendable {
    /// The body.
    public let data: Data
    /// The status, the URL after redirects, and the header fields. For a cached response, the URL is the request's. Nil
    /// if no server was involved, as for files.
    public let head: ResponseHead?
    /// The source of the bytes.
    public let source: ImageSource
    /// The freshness of the response, which limits how long it may be used. Nil if no server was involved.
    public let freshness: Freshness?
    /// The reason why a stale response was used, or one that its server couldn't confirm although the request demanded
    /// confirmation; nil otherwise.
    public let staleReason: StaleReason?

    /// Whether there is a ``staleReason``.
    public var isStale: Bool { staleReason != nil }
}
