#if os(Linux) && Curl
import CCurl
import Foundation

/// What a handle is told about one hop of a request.
struct CurlOptions {
    let settings: TransportSettings
    /// The store of cookies, if they are kept.
    let cookies: UnsafeMutableRawPointer?
    private let uncheckedHosts: Set<String>

    /// Larger is faster with large bodies only; curl hands over 16 KiB at a time in any case.
    private static let bufferSize = 64 << 10

    init(_ settings: TransportSettings, cookies: UnsafeMutableRawPointer?) {
        self.settings = settings
        self.cookies = cookies
        uncheckedHosts = Set(settings.insecureHostsWithUncheckedCertificates.map { $0.lowercased() })
    }

    func apply(_ request: DataRequest, timeout: Duration, to handle: CurlHandle) throws(ImageLoaderError) {
        handle.set(CURLOPT_URL, request.url.absoluteString)
        handle.set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        if request.url.scheme?.lowercased() == "https" {
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // One handshake tells whether more connections are needed.
            handle.set(CURLOPT_PIPEWAIT, 1)
        } else {
            // Said plainly, as curl looks at every idle connection otherwise before it takes one.
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        handle.set(CURLOPT_BUFFERSIZE, Self.bufferSize)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, timeout.wholeMilliseconds)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_USERAGENT, "Alcedo")
        // All codings are decoded; which of them is asked for is a field's matter.
        handle.set(CURLOPT_ACCEPT_ENCODING, "")
        alcedo_curl_leave_look_ups(handle.easy)
        if let cookies {
            handle.set(CURLOPT_SHARE, cookies)
            // No file, but cookies from now on.
            handle.set(CURLOPT_COOKIEFILE, "")
        }
        try applySecurity(request.url, to: handle)
        try applyMethod(request, to: handle)
        try applyFields(request, to: handle)
    }

    private func applySecurity(_ url: URL, to handle: CurlHandle) throws(ImageLoaderError) {
        if let authorities = settings.authorities {
            guard authorities.isFileURL, access(authorities.path, R_OK) == 0 else {
                throw .unsupportedConfiguration("the certificate authorities in \(authorities.path) can't be read")
            }
            handle.set(CURLOPT_CAINFO, authorities.path)
            // In place of the system's, which may be a folder too.
            handle.set(CURLOPT_CAPATH, nil as String?)
        }
        if !uncheckedHosts.isEmpty, let host = url.host, uncheckedHosts.contains(host.lowercased()) {
            handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func applyMethod(_ request: DataRequest, to handle: CurlHandle) throws(ImageLoaderError) {
        let method = request.method
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .unsupportedConfiguration("\"\(method.rawValue)\" can't be sent as a method")
        }
        if request.body != nil || method == .post {
            (request.body ?? Data()).withUnsafeBytes { handle.setBody($0) }
            // Nothing that was not asked for: a media type of forms, and a pause for the server's leave.
            if request.headers["Content-Type"] == nil { handle.addField("Content-Type:") }
            if request.headers["Expect"] == nil { handle.addField("Expect:") }
        } else if method.rawValue == "HEAD" {
            handle.set(CURLOPT_NOBODY, 1)
        }
        if method != .get || request.body != nil { handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
    }

    private func applyFields(_ request: DataRequest, to handle: CurlHandle) throws(ImageLoaderError) {
        if request.headers["Accept-Encoding"] == nil { handle.addField("Accept-Encoding: identity") }
        for field in request.headers.fields {
            guard field.isSendable else {
                throw .unsupportedConfiguration("the header field \(field.name.debugDescription) can't be sent")
            }
            // The way to send a field without a value.
            handle.addField(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        handle.setFields()
    }
}

extension HTTPHeaders.Field {
    /// A name of visible ASCII, a value on one line: anything else could smuggle further fields in.
    fileprivate var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A && $0 != 0x3B }
            && value.utf8.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
    }
}

extension Duration {
    /// Rounded up.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
#endif
