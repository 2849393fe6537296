public import Foundation

/// A transport, which performs one HTTP exchange and delivers the response to a sink.
///
/// Alcedo ships ``URLSessionDataLoader`` and, on Linux, `CurlDataLoader`; tests use a scripted one.
public protocol DataLoading: Sendable {
    /// Performs `request`, following its redirects, and delivers the response to `sink`.
    ///
    /// The head of the final response is delivered first, then its body, in order and never from two threads at the
    /// same time. Nothing is delivered after the call has returned.
    ///
    /// The call returns when the body is complete. If the sink throws, the transfer is stopped and that error is
    /// thrown. Cancelling the calling Task closes the connection and throws ``ImageLoaderError/cancelled``.
    ///
    /// In every case, the call returns only when the transfer has ended and its connection is closed or free again,
    /// because the download's slot is released at that point. Callers of a loader don't wait for this; they resume as
    /// soon as they are cancelled.
    ///
    /// While too many received bytes wait to be decoded, the sink's ``ResponseSink/demand`` says so. A transport that
    /// can pause then does, and measures no idle time during the pause. If a transport can't pause, fewer downloads
    /// start instead.
    ///
    /// Called on no actor, possibly on the thread of the Task that requested the download. It must not block, and may
    /// not see a cancellation before it first suspends.
    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError)

    /// Whether the transport enforces a ``NetworkPolicy`` for addresses and the proxy. Default false.
    ///
    /// If true, it checks each address that it is about to connect to, and the address of each connection that it
    /// reuses, with ``DataRequest/requirePermission(toReach:)``, and sends nothing to a refused address. A transport
    /// that wraps another one returns that one's value, and passes on a copy of the request that it was given, because
    /// a new request carries no policy.
    ///
    /// If this is false although a policy requires it, every load throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    var checksAddresses: Bool { get }

    /// Closes the connections that are kept open for later requests, and ends the threads that wait for such requests.
    /// Called when a loader closes. Default: does nothing.
    ///
    /// The transport remains usable. If it is performing other loads, it may keep its connections. A transport that
    /// wraps another one passes the call on.
    func closeIdleConnections() async
}

extension DataLoading {
    /// Returns false: the transport doesn't check addresses.
    public var checksAddresses: Bool { false }

    /// Does nothing.
    public func closeIdleConnections() async {}
}

/// A request to a transport.
public struct DataRequest: Sendable {
    /// An http or https URL in its normal form; see <doc:URLs>. Any spelling may be set.
    public var url: URL {
        get { parsed.url }
        set { parsed = ParsedURL(newValue) }
    }
    /// The HTTP method. Default GET.
    public var method: HTTPMethod
    /// The header fields, sent unchanged.
    ///
    /// A transport adds the fields that its protocol requires and `Accept-Encoding: identity`.
    public var headers: HTTPHeaders
    /// The bytes sent after the head; nil for none.
    public var body: Data?
    /// The longest time without a byte, including the time to connect. Default 15 seconds.
    public var idleTimeout: Duration
    /// The rules for following redirects.
    public var redirects: RedirectPolicy
    /// Whether a network in Low Data Mode may be used; see ``ImageRequest/allowsConstrainedNetwork``. Default true.
    public var allowsConstrainedNetwork = true
    /// Whether a network that costs money may be used; see ``ImageRequest/allowsExpensiveNetwork``. Default true.
    public var allowsExpensiveNetwork = true
    var parsed: ParsedURL
    /// The number of redirects that led to this request.
    var hops = 0
    /// The network policy; nil if everything is allowed.
    var network: NetworkRules?

    /// Creates a request.
    ///
    /// The defaults are those of ``DownloadCoordinator/Settings``.
    public init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: Data? = nil,
        idleTimeout: Duration = .seconds(15), redirects: RedirectPolicy = RedirectPolicy()
    ) {
        parsed = ParsedURL(url)
        self.method = method
        self.headers = headers
        self.body = body
        self.idleTimeout = idleTimeout
        self.redirects = redirects
    }
}

extension ResponseHead {
    /// Creates a head received over HTTP. Throws if its fields contradict each other about the length of the body.
    init(
        status: Int, from url: URL, _ headers: HTTPHeaders, to request: DataRequest
    ) throws(ImageLoaderError) {
        self.init(status: status, url: url, headers: headers)
        // A transfer coding overrides the length (RFC 9112 section 6.3).
        guard request.method.rawValue != "HEAD", status != 204, status != 304, headers["Transfer-Encoding"] == nil,
            let field = headers["Content-Length"]
        else { return }
        guard let length = Self.length(field) else { throw .malformedResponse("Content-Length: \(field)") }
        // The length of a coded body says nothing about the decoded one.
        if BodyCodings(headers).arePlain { expectedBytes = length }
    }

    /// Parses a length. Repetitions of the same length count as one.
    private static func length(_ field: String) -> Int? {
        if let length = number(field[...]) { return length }
        let lengths = Set(field.split(separator: ",", omittingEmptySubsequences: false).map { number($0) })
        return lengths.count == 1 ? lengths.first ?? nil : nil
    }

    private static func number(_ text: Substring) -> Int? {
        let digits = text.utf8.drop { $0 == 0x20 }
        return digits.allSatisfy { (0x30...0x39).contains($0) } ? Int(Substring(digits)) : nil
    }
}

extension DataRequest {
    /// Throws if a part of the head can't be sent, or could inject further lines.
    func requireSendable() throws(ImageLoaderError) {
        guard method.rawValue.isToken else {
            throw .unsupportedConfiguration("\(method.rawValue.debugDescription) can't be sent as a method")
        }
        if let field = headers.first(where: { !$0.isValid }) { throw .invalidHeader(name: field.name) }
    }

    /// Throws if the head is longer than a transport can send. libcurl accepts 1 MiB, including the fields that it
    /// adds.
    func requireShortHead() throws(ImageLoaderError) {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        let count = url.absoluteString.utf8.count + fields
        if count > Self.mostHeadBytes { throw .limitExceeded(.requestBytes, value: count, allowed: Self.mostHeadBytes) }
    }

    private static var mostHeadBytes: Int { 1_000_000 }

    /// Whether the request sets its cookies itself. If so, no others are sent, and cookies that its response sets
    /// aren't stored.
    var hasOwnCookies: Bool { headers["Cookie"] != nil }

    /// Moves a URL's user name and password into the field that carries them (RFC 7617).
    ///
    /// The rules for secrets then apply to them: they aren't sent to another origin, and the response's URL doesn't
    /// contain them.
    mutating func moveCredentialsToField() {
        guard url.mayHaveCredentials else { return }
        if headers["Authorization"] == nil, let credentials = url.credentials {
            headers["Authorization"] = credentials.basic
        }
        url = url.withoutCredentials
    }

    /// See ``moveCredentialsToField()``.
    func withCredentialsAsField() -> DataRequest {
        var result = self
        result.moveCredentialsToField()
        return result
    }
}

extension HTTPHeaders.Field {
    /// Fields about the connection and the length of the body, which only the transport knows. If a request could set
    /// them, the server and intermediaries might disagree about where the request ends.
    private static let ofTransport: Set = [
        "connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Whether the field can be sent: its name is a token and not one of the transport's, and its value contains
    /// nothing that would end the field.
    var isValid: Bool {
        name.isToken && !Self.ofTransport.contains(name.lowercased())
            && !value.utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 }
    }

    /// Whether the field can be sent to all hosts.
    var isValidForAll: Bool { isValid && name.lowercased() != "host" }
}

extension String {
    /// Whether this is a token (RFC 9110 section 5.6.2).
    fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isOfToken) }
}
