public import Foundation

/// A complete response.
public struct DataResponse: Sendable {
    /// The body.
    public let data: Data
    /// The status, the URL after redirects, and the header fields. From a cache, the URL is that of the request. Nil if
    /// no server was involved, as for files.
    public let head: ResponseHead?
    /// The source of the bytes.
    public let source: ImageSource
    /// How long the response may be used. Nil if no server was involved.
    public let freshness: Freshness?
    /// Why a response was used that is no longer fresh, or that its server couldn't confirm when the request demanded
    /// that; nil otherwise.
    public let staleReason: StaleReason?

    /// Whether there is a ``staleReason``.
    public var isStale: Bool { staleReason != nil }
}
