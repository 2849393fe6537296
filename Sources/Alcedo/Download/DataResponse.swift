public import Foundation

/// A complete response.
public struct DataResponse: Sendable {
    /// The body.
    public let data: Data
    /// The status, the URL after redirects, and the header fields.
    public let head: ResponseHead
    /// How long the response may be used; nil if it doesn't say.
    public let freshness: Freshness?
}
