public import Foundation

/// The head of a response: everything known before the body.
public struct ResponseHead: Sendable, Hashable {
    /// The status code, 200 or above. The sink decides which codes are accepted.
    public var status: Int
    /// The URL that responded, after redirects.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The length of the body as delivered, in bytes.
    ///
    /// Nil if the length isn't announced or the body has a content coding.
    public internal(set) var expectedBytes: Int?

    /// Creates a head with these values.
    public init(status: Int, url: URL, headers: HTTPHeaders = [:], expectedBytes: Int? = nil) {
        self.status = status
        self.url = url
        self.headers = headers
        // URLSession uses a negative length for an unknown one.
        self.expectedBytes = expectedBytes.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Whether the server delimits the body. A body delimited only by connection close may be truncated, and only its
    /// decoder can tell.
    var hasKnownLength: Bool {
        // A transfer coding overrides the length (RFC 9112 section 6.3).
        expectedBytes != nil || isChunked || headers["Content-Length"] != nil && headers["Transfer-Encoding"] == nil
    }

    private var isChunked: Bool {
        let last = headers["Transfer-Encoding"]?.split(separator: ",").last
        return last?.filter { $0 != " " }.lowercased() == "chunked"
    }
}
