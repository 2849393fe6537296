public import Foundation

/// A response that was received whole.
public struct DataResponse: Sendable {
    /// The body.
    public let data: Data
    /// Status, URL after redirects, and header fields.
    public let head: ResponseHead
    /// How long it may be used; nil if it didn't say.
    public let freshness: Freshness?
}
