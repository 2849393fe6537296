public import Foundation

/// A complete response.
public struct DataResponse: Sendable {
    /// The body.
    public let data: Data
    /// The status, the URL after redirects, and the header fields. From a cache, the URL is that of the request. Nil if
    /// no server was involved, as for files.
    public let head: ResponseHead?
    /// Where it was found.
    public let source: ImageSource
    /// How long the response may be used. Nil if no server was involved.
    public let freshness: Freshness?
    /// Why a stale response was used; nil if it was fresh.
    public let staleReason: StaleReason?

    /// Whether the response was used although it is no longer fresh.
    public var isStale: Bool { staleReason != nil }
}
