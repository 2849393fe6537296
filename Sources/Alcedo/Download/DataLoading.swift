public import Foundation

/// A transport: performs one exchange and hands what arrives to a sink.
///
/// Alcedo ships ``URLSessionDataLoader`` and, on Linux, `CurlDataLoader`; tests script one of their own.
public protocol DataLoading: Sendable {
    /// Performs `request`, following its redirects, and delivers the final response's head and then its body to `sink`,
    /// in order and never from two threads at once. Nothing is delivered after the call returned.
    ///
    /// Returns when the body is complete. When the sink throws, the transfer is stopped and that error is thrown.
    /// Cancelling the calling Task closes the connection and throws ``ImageLoaderError/cancelled``. In every case the
    /// call returns when the transfer has ended and its connection is closed or free again, not before: a download's
    /// slot is given back then. Callers of a loader don't wait for that; they resume as soon as they are cancelled.
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
    /// Redirects that led to it.
    var hops = 0

    /// A request; the defaults are those of ``DownloadCoordinator/Settings``.
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

extension ResponseHead {
    /// The head as it came over HTTP. Throws when it contradicts itself about the length of its body.
    init(
        status: Int, from url: URL, _ headers: HTTPHeaders, to request: DataRequest
    ) throws(ImageLoaderError) {
        self.init(status: status, url: url, headers: headers)
        // Next to a transfer coding the length means nothing (RFC 9112 section 6.3).
        guard request.method.rawValue != "HEAD", status != 204, status != 304, headers["Transfer-Encoding"] == nil,
            let field = headers["Content-Length"]
        else { return }
        guard let length = Self.length(field) else { throw .malformedResponse("Content-Length: \(field)") }
        // It is that of the coded body.
        if BodyCodings(headers).arePlain { expectedBytes = length }
    }

    /// The same length several times is one length.
    private static func length(_ field: String) -> Int? {
        if let length = number(field[...]) { return length }
        let lengths = Set(field.split(separator: ",", omittingEmptySubsequences: false).map { number($0) })
        return lengths.count == 1 ? lengths.first ?? nil : nil
    }

    private static func number(_ text: Substring) -> Int? {
        let digits = text.utf8.drop { $0 == 0x20 }
        return digits.allSatisfy { (0x30...0x39).contains($0) } ? Int(Substring(digits)) : nil
    }

    /// Whether the end of the body is told by a transfer coding, and not by the end of the connection.
    var isChunked: Bool {
        let last = headers["Transfer-Encoding"]?.split(separator: ",").last
        return last?.filter { $0 != " " }.lowercased() == "chunked"
    }
}

extension DataRequest {
    /// Throws when a part of the head could smuggle further lines into it.
    func requireSendable() throws(ImageLoaderError) {
        guard method.rawValue.isToken else {
            throw .unsupportedConfiguration("\(method.rawValue.debugDescription) can't be sent as a method")
        }
        if let field = headers.first(where: { !$0.isValid }) { throw .invalidHeader(name: field.name) }
    }

    /// Whether it names its cookies itself: then they are sent alone, and those of its response are not kept.
    var hasOwnCookies: Bool { headers["Cookie"] != nil }

    /// A URL's user name and password as the field that carries them (RFC 7617), so that they keep the rules of
    /// secrets: they do not follow to another origin, and the response's URL does not tell them.
    func withCredentialsAsField() -> DataRequest {
        var result = self
        if headers["Authorization"] == nil, let credentials = url.credentials {
            result.headers["Authorization"] = credentials.basic
        }
        result.url = url.withoutCredentials
        return result
    }
}

extension HTTPHeaders.Field {
    /// Whether it can be sent: a token for its name, and nothing in its value that would end the field.
    var isValid: Bool {
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
