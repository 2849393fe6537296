public import Foundation

/// The head of a response: what is known before the body.
public struct ResponseHead: Sendable, Hashable {
    /// The status code, from 200 on; the sink decides which are accepted.
    public var status: Int
    /// The URL that answered, after redirects.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body's length in bytes as it will be delivered, nil when it is not announced or the body is coded.
    public internal(set) var expectedBytes: Int?

    /// A head with these values.
    public init(status: Int, url: URL, headers: HTTPHeaders = [:], expectedBytes: Int? = nil) {
        self.status = status
        self.url = url
        self.headers = headers
        // URLSession's way to say that it does not know.
        self.expectedBytes = expectedBytes.flatMap { $0 < 0 ? nil : $0 }
    }
}
