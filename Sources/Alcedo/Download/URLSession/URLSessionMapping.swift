import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A configuration that stores nothing.
    ///
    /// - Parameter base: The program's own, which is copied; nil for none.
    static func make(_ settings: TransportSettings, from base: URLSessionConfiguration?) -> URLSessionConfiguration {
        let configuration = base?.copy() as? URLSessionConfiguration ?? .ephemeral
        // On Linux, a URLCache races with cancellation and crashes. Alcedo has its own caches.
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        // On Linux, Foundation's storage accepts cookies for all of `com`, and URLSession then drops a request's own
        // field. A CookieJar stores them instead.
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        // URLSession's default would hold back requests that a loader has already given a slot.
        configuration.httpMaximumConnectionsPerHost = settings.maximumConnectionsPerHost.map { max(1, $0) } ?? 10_000
        return configuration
    }
}

extension URLRequest {
    init(_ request: DataRequest) {
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        httpBody = request.body
        allowNetworks(of: request)
        // Alcedo measures the idle time itself. This timeout counts whole seconds, and Foundation overflows on large
        // numbers. A day without a byte is as good as forever.
        timeoutInterval = min(max(0, (request.idleTimeout / .seconds(1)).rounded(.up)) + 60, 86_400)
        if request.headers["Accept-Encoding"] == nil { setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        for field in request.headers.withoutLatin1 { addValue(field.value, forHTTPHeaderField: field.name) }
    }
}

extension HTTPHeaders {
    /// The fields that URLSession can send, which excludes values that aren't UTF-8. Such values are validators that
    /// another transport has received; without its validator, a range request asks for the whole body.
    fileprivate var withoutLatin1: HTTPHeaders {
        var names = filter(\.isLatin1).map(\.name)
        if names.contains("If-Range") { names.append("Range") }
        return names.isEmpty ? self : without(names)
    }
}

extension ResponseHead {
    init(_ response: HTTPURLResponse, to request: DataRequest) throws(ImageLoaderError) {
        // Foundation's handling of several lengths, or of one with trailing garbage, isn't reliable.
        let headers = response.headers
        try self.init(status: response.statusCode, from: response.url ?? request.url, headers, to: request)
    }
}

extension HTTPURLResponse {
    /// The header fields, by name.
    var headers: HTTPHeaders {
        let fields = allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return (name, value)
        }
        return HTTPHeaders(fields.sorted { $0.name < $1.name })
    }

    private var location: String { value(forHTTPHeaderField: "Location") ?? "" }

    /// Whether this is a redirect with a location.
    var namesRedirect: Bool { DataRequest.isRedirect(statusCode) && !location.isEmpty }

    /// See ``HTTPHeaders/redirectLocation()``.
    func redirectLocation() throws(ImageLoaderError) -> String? {
        try HTTPHeaders([(name: "Location", value: location)]).redirectLocation()
    }
}

extension String {
    /// Whether this is libcurl's message for a connection that was reset or closed, with OpenSSL or GnuTLS. During the
    /// TLS handshake, its error code is the same as for an untrusted server.
    var tellsOfBrokenConnection: Bool {
        mentions("reset by peer", "SSL_ERROR_SYSCALL", "unexpected eof", "Broken pipe", "non-properly terminated")
    }

    fileprivate func mentions(_ words: String...) -> Bool { words.contains { contains($0) } }
}

extension ImageLoaderError {
    /// On Linux, most failures have the same unknown code, so curl's text decides if the code doesn't.
    init(sessionError error: any Error, of sink: ResponseSink) {
        guard let error = error as? URLError else {
            self = .connectionFailed(.other, detail: TransportDetail("\(error)"))
            return
        }
        let text = error.localizedDescription
        let detail = TransportDetail(text, code: error.code.rawValue)
        if error.code != .cancelled, error.code != .timedOut, let broken = Self.breakage(detail, sink) {
            self = broken
            return
        }
        self =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut(.idle)
            case .badURL: .invalidURL(error.failingURL?.absoluteString ?? "", reason: text)
            case .cannotFindHost, .dnsLookupFailed: .connectionFailed(.hostNotFound, detail: detail)
            case .cannotConnectToHost: .connectionFailed(.refused, detail: detail)
            case .networkConnectionLost: .connectionFailed(.lost, detail: detail)
            // The scheme was already checked. On Linux, this means that the response isn't HTTP.
            case .badServerResponse, .cannotParseResponse, .unsupportedURL: .malformedResponse(text)
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRejected,
                .clientCertificateRequired:
                .connectionFailed(.insecure, detail: detail)
            // The text is in the user's language on Apple platforms, so nothing is looked for in it.
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
                .connectionFailed(.other, detail: detail)
            // The app's own rules forbid the connection, and will until its Info.plist changes.
            case .appTransportSecurityRequiresSecureConnection:
                .unsupportedConfiguration(
                    "App Transport Security forbids this connection without TLS; see NSAppTransportSecurity")
            default:
                if text.mentions("transfer closed") {
                    .truncated(received: sink.received, expected: sink.expected)
                } else if text.tellsOfBrokenConnection {
                    .connectionFailed(.lost, detail: detail)
                } else if text.mentions("SSL", "certificate", "TLS") {
                    .connectionFailed(.insecure, detail: detail)
                } else if text.mentions("header", "Header", "chunk", "Content-Length", "ncoding", "HTTP") {
                    .malformedResponse(text)
                } else {
                    .connectionFailed(.other, detail: detail)
                }
            }
    }

    /// The error that libcurl's text indicates where the code is too vague; nil for any other text. An interrupted
    /// response over HTTP/2, or a connection without a response, may be retried, as with `CurlDataLoader`.
    private static func breakage(_ detail: TransportDetail, _ sink: ResponseSink) -> ImageLoaderError? {
        if detail.text.mentions("HTTP/2 stream", "HTTP/2 framing layer") {
            return sink.head != nil
                ? .truncated(received: sink.received, expected: sink.expected)
                : .connectionFailed(.lost, detail: detail)
        }
        if detail.text.mentions("HTTP2 framing layer", "Connection died", "Empty reply") {
            return .connectionFailed(.lost, detail: detail)
        }
        return detail.text.mentions("chunked-encoding") ? .malformedResponse(detail.text) : nil
    }
}
