#if os(Linux) && Curl
import CCurl
import Foundation

/// The options of a handle for one hop of a request.
struct CurlOptions {
    let settings: TransportSettings
    /// The cookie store, if cookies are kept.
    let cookies: UnsafeMutableRawPointer?
    private let hosts: CertificateHosts

    /// A larger buffer is faster for large bodies only. curl delivers 16 KiB at a time in any case.
    private static let bufferSize = 64 << 10

    init(_ settings: TransportSettings, cookies: UnsafeMutableRawPointer?) {
        self.settings = settings
        self.cookies = cookies
        hosts = CertificateHosts(settings)
    }

    /// All options except the URL. A handle that already has the same options isn't configured again.
    struct Plan: Equatable {
        fileprivate let isSecure: Bool
        fileprivate let isUnchecked: Bool
        fileprivate let showsCertificate: Bool
        fileprivate let timeout: Duration
        fileprivate let method: HTTPMethod
        fileprivate let headers: HTTPHeaders
        let body: Data?
        let route: CurlRoute
    }

    /// - Parameter origin: The destination of the request, in lower case.
    func apply(
        _ request: DataRequest, origin: String, timeout: Duration, to handle: CurlHandle
    ) throws(ImageLoaderError) {
        let plan = Plan(
            isSecure: origin.hasPrefix("https:"), isUnchecked: hosts.includesUnchecked(request.parsed.host),
            showsCertificate: hosts.includesCertified(request.parsed.host),
            timeout: timeout, method: request.method, headers: request.headers, body: request.body,
            route: CurlRoute(request))
        try request.requireShortHead()
        if plan.isSecure { try settings.authorities?.requireReadable("certificate authorities") }
        if plan.isSecure, plan.showsCertificate, let certificate = settings.clientCertificate {
            try certificate.certificate.requireReadable("client certificate")
            try certificate.key?.requireReadable("client certificate's key")
        }
        if handle.plan == plan {
            handle.clear()
        } else {
            try request.requireSendable()
            handle.reset()
            apply(plan, to: handle)
            handle.plan = plan
        }
        handle.set(CURLOPT_URL, request.url.absoluteString)
    }

    private func apply(_ plan: Plan, to handle: CurlHandle) {
        handle.set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        // The URL is in its normal form, and must be sent exactly as it was checked.
        handle.set(CURLOPT_PATH_AS_IS, 1)
        if plan.isSecure {
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // One handshake determines whether more connections are needed.
            handle.set(CURLOPT_PIPEWAIT, 1)
        } else {
            // Set explicitly, because curl otherwise checks every idle connection before it uses one.
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        handle.set(CURLOPT_BUFFERSIZE, Self.bufferSize)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, plan.timeout.wholeMilliseconds)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_USERAGENT, "Alcedo")
        alcedo_curl_leave_look_ups(handle.easy)
        if let proxy = plan.route.proxy {
            handle.set(CURLOPT_PROXY, proxy)
            // Otherwise the environment could exempt hosts from it.
            handle.set(CURLOPT_NOPROXY, "")
        }
        if let cookies { applyCookies(cookies, plan, to: handle) }
        applySecurity(plan, to: handle)
        applyMethod(plan, to: handle)
        applyFields(plan, to: handle)
    }

    private func applyCookies(_ cookies: UnsafeMutableRawPointer, _ plan: Plan, to handle: CurlHandle) {
        guard plan.headers["Cookie"] != nil else {
            handle.set(CURLOPT_SHARE, cookies)
            // An empty name reads no file, but enables cookies.
            handle.set(CURLOPT_COOKIEFILE, "")
            return
        }
        // curl would send its own field in addition to the request's. A reset handle still has its store.
        handle.set(CURLOPT_SHARE, nil as UnsafeMutableRawPointer?)
        handle.set(CURLOPT_COOKIEFILE, nil as String?)
    }

    private func applySecurity(_ plan: Plan, to handle: CurlHandle) {
        if let authorities = settings.authorities {
            handle.set(CURLOPT_CAINFO, path: authorities.pathBytes)
            // Replaces the system's authorities, which may also be a directory.
            handle.set(CURLOPT_CAPATH, nil as String?)
        }
        if plan.showsCertificate, let certificate = settings.clientCertificate {
            handle.set(CURLOPT_SSLCERT, path: certificate.certificate.pathBytes)
            handle.set(CURLOPT_SSLKEY, path: (certificate.key ?? certificate.certificate).pathBytes)
            // Without a password, OpenSSL would ask for that of an encrypted key on the terminal.
            handle.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
        }
        if plan.isUnchecked {
            handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func applyMethod(_ plan: Plan, to handle: CurlHandle) {
        let method = plan.method
        if plan.body != nil || method == .post {
            (plan.body ?? Data()).withUnsafeBytes { handle.setBody($0) }
            // Omits fields that curl adds by itself: the media type of forms, and a wait for the server's permission.
            if plan.headers["Content-Type"] == nil { handle.addField("Content-Type:") }
            handle.addField("Expect:")
        } else if method.rawValue == "HEAD" {
            handle.set(CURLOPT_NOBODY, 1)
        }
        if method != .get || plan.body != nil { handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
    }

    /// The `Accept-Encoding` field of a request with these fields.
    static func acceptedCodings(_ headers: HTTPHeaders) -> String {
        headers["Accept-Encoding"].map { ContentCoding.accepted($0) { $0.isDecodable } } ?? "identity"
    }

    private func applyFields(_ plan: Plan, to handle: CurlHandle) {
        // curl decodes nothing, since CURLOPT_ACCEPT_ENCODING isn't set.
        handle.addField("Accept-Encoding: \(Self.acceptedCodings(plan.headers))")
        for field in plan.headers where field.name.lowercased() != "accept-encoding" {
            if field.value.isEmpty {
                // curl's syntax for a field without a value.
                handle.addField("\(field.name);")
            } else {
                handle.addField(field.name, field.bytes)
            }
        }
        handle.setFields()
    }
}

extension URL {
    /// The bytes of a file's path, which may not be UTF-8.
    fileprivate var pathBytes: [UInt8] { Array(path(percentEncoded: true).utf8).percentDecoded }

    fileprivate func requireReadable(_ name: String) throws(ImageLoaderError) {
        let bytes = pathBytes
        guard !isFileURL || access(bytes.map { CChar(bitPattern: $0) } + [0], R_OK) != 0 else { return }
        let path = String(decoding: bytes, as: UTF8.self)
        throw .unsupportedConfiguration("the \(name) in \(path) can't be read")
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
#endif
