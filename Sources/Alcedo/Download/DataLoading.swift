public import Foundation

/// A transport: performs one exchange and hands what arrives to a sink.
///
/// Alcedo ships ``URLSessionDataLoader`` and, on Linux, `CurlDataLoader`; tests script one of their own.
public protocol DataLoading: Sendable {
    /// Performs `request`, following its redirects, and delivers the final response's head and then its body to `sink`,
    /// in order and never from two threads at once. Nothing is delivered after the call returned.
    ///
    /// Returns when the body is complete. When the sink throws, the transfer is stopped and that error is thrown.
    /// Cancelling the calling Task closes the connection and throws ``ImageLoaderError/cancelled``.
    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError)
}

/// What a transport is asked for.
public struct DataRequest: Sendable {
    /// An absolute http or https URL with a host.
    public var url: URL
    /// Default: GET.
    public var method: HTTPMethod
    /// Header fields sent as they are; a transport adds what its protocol needs and `Accept-Encoding: identity`.
    public var headers: HTTPHeaders
    /// What is sent after the head, nil for nothing.
    public var body: Data?
    /// The longest time without a byte, connecting included.
    public var idleTimeout: Duration
    /// Which redirects are followed.
    public var redirects: RedirectPolicy

    /// A request; the defaults are those of ``ImageLoader/Configuration/Download``.
    public init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: Data? = nil,
        idleTimeout: Duration = .seconds(15), redirects: RedirectPolicy = RedirectPolicy()
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.idleTimeout = idleTimeout
        self.redirects = redirects
    }
}

/// The head of a response: what is known before the body.
public struct ResponseHead: Sendable, Hashable {
    /// The status code, from 200 on; the sink decides which are accepted.
    public var status: Int
    /// The URL that answered, after redirects.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body's length in bytes as it will be delivered, nil when it is not announced or the body is coded.
    public private(set) var expectedBytes: Int?

    /// A head with these values.
    public init(status: Int, url: URL, headers: HTTPHeaders = [:], expectedBytes: Int? = nil) {
        self.status = status
        self.url = url
        self.headers = headers
        // URLSession's way to say that it does not know.
        self.expectedBytes = expectedBytes.flatMap { $0 < 0 ? nil : $0 }
    }
}
