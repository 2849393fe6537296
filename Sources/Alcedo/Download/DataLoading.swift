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

extension DataRequest {
    /// Throws when a part of the head could smuggle further lines into it.
    func requireSendable() throws(ImageLoaderError) {
        guard method.rawValue.isToken else {
            throw .unsupportedConfiguration("\(method.rawValue.debugDescription) can't be sent as a method")
        }
        if let field = headers.fields.first(where: { !$0.isValid }) { throw .invalidHeader(name: field.name) }
    }

    /// A URL's user name and password as the field that carries them (RFC 7617), so that they keep the rules of
    /// secrets: they do not follow to another origin, and the response's URL does not tell them.
    func withCredentialsAsField() -> DataRequest {
        guard Fold.contains(UInt8(ascii: "@"), in: url.absoluteString),
            let user = url.user(percentEncoded: false), !user.isEmpty,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return self }
        let password = url.password(percentEncoded: false) ?? ""
        parts.user = nil
        parts.password = nil
        guard let bare = parts.url else { return self }
        var result = self
        result.url = bare
        if headers["Authorization"] == nil {
            result.headers["Authorization"] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        }
        return result
    }
}

extension HTTPHeaders.Field {
    /// Whether it can be sent: a token for its name, and nothing in its value that would end the field.
    fileprivate var isValid: Bool {
        name.isToken && !value.utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 }
    }
}

extension String {
    /// A token of RFC 9110 section 5.6.2.
    fileprivate var isToken: Bool {
        let symbols = "!#$%&'*+-.^_`|~".utf8
        return !isEmpty
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || symbols.contains(byte)
            }
    }
}
