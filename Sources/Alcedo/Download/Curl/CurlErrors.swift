#if os(Linux) && Curl
import CCurl
import Foundation

extension ImageLoaderError {
    /// The error for a transfer that ended with `code`; nil for success. `text` is curl's message.
    ///
    /// - Parameters:
    ///   - codedBytes: The number of received bytes of a body that has to be decoded; nil for other bodies.
    ///   - isReused: Whether the connection had already served another request.
    init?(
        _ code: CURLcode, text: String, head: CurlHead, sink: ResponseSink, codedBytes: Int? = nil,
        request: DataRequest, isReused: Bool
    ) {
        let received = codedBytes ?? sink.received
        if Self.ofDescriptors.contains(Int(code.rawValue)), let shortage = Self.descriptorShortage {
            self = .connectionFailed(.refused, detail: TransportDetail(shortage, code: Int(code.rawValue)))
            return
        }
        let detail = TransportDetail(text, code: Int(code.rawValue))
        switch code {
        case CURLE_OK where head.isComplete: return nil
        case CURLE_OK,
            CURLE_PARTIAL_FILE where !head.isComplete:
            // curl accepts a truncated head as complete.
            self = .connectionFailed(.lost, detail: "the connection was closed inside the response's head")
        case CURLE_URL_MALFORMAT where request.hops > 0:
            self = .redirectRefused(location: request.url.absoluteString, reason: text)
        case CURLE_URL_MALFORMAT: self = .invalidURL(request.url.absoluteString, reason: text)
        // The bytes were left on the connection, or arrived while it was idle. Another connection may work.
        case CURLE_UNSUPPORTED_PROTOCOL where isReused && text.contains("HTTP/0.9"):
            self = .connectionFailed(.lost, detail: detail)
        // A build without TLS reports the same code.
        case CURLE_UNSUPPORTED_PROTOCOL where text.contains("HTTP/0.9") || text.contains("response"):
            self = .malformedResponse(text)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM:
            self = .unsupportedConfiguration(text)
        // The host's name wasn't looked up.
        case CURLE_COULDNT_RESOLVE_HOST where text.hasSuffix("thread failed to start"),
            CURLE_COULDNT_RESOLVE_PROXY where text.hasSuffix("thread failed to start"):
            self = .connectionFailed(.refused, detail: detail)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self = .connectionFailed(.hostNotFound, detail: detail)
        case CURLE_COULDNT_CONNECT: self = .connectionFailed(.refused, detail: detail)
        case CURLE_RECV_ERROR where text.contains("chunked-encoding"): self = .malformedResponse(text)
        // Over TLS 1.3, the server refuses the client only after the handshake.
        case CURLE_RECV_ERROR where text.contains("certificate required"):
            self = .connectionFailed(.insecure, detail: detail)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: self = .connectionFailed(.lost, detail: detail)
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut(.idle)
        case CURLE_PARTIAL_FILE: self = .truncated(received: received, expected: sink.expected)
        case CURLE_OUT_OF_MEMORY where !head.isComplete:
            // A single field exceeds curl's own limit of 100 KiB.
            let value = max(head.fieldBytes, 100 << 10)
            let allowed = sink.maximumHeaderBytes
            self =
                value > allowed
                ? .limitExceeded(.headerBytes, value: value, allowed: allowed)
                : .malformedResponse("a header field longer than the 100 KiB that libcurl takes")
        case CURLE_BAD_FUNCTION_ARGUMENT where !head.isComplete:
            // libcurl reports this for a head that begins with a continuation line.
            self = .malformedResponse(text)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: self = .malformedResponse(text)
        // Corresponds to a closed connection over HTTP/1.1.
        case CURLE_HTTP2_STREAM where head.isComplete:
            self = .truncated(received: received, expected: sink.expected)
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: self = .connectionFailed(.lost, detail: detail)
        case CURLE_SSL_CONNECT_ERROR where text.tellsOfBrokenConnection:
            self = .connectionFailed(.lost, detail: detail)
        case _ where Self.ofTLS.contains(Int(code.rawValue)): self = .connectionFailed(.insecure, detail: detail)
        default: self = .connectionFailed(.other, detail: detail)
        }
    }

    /// Whether curl reports this error only before a connection is ready for the request.
    var isOfConnecting: Bool {
        switch self {
        case .connectionFailed(.refused, _), .connectionFailed(.hostNotFound, _): true
        case .connectionFailed(_, let detail): detail.code.map(Self.ofTLS.contains) ?? false
        default: false
        }
    }

    /// The codes of steps that open a socket or a file. curl's message names the step, but not the shortage.
    private static let ofDescriptors = Set(
        [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CACERT_BADFILE].map {
            Int($0.rawValue)
        })

    /// The system's message if the process can't open the descriptors needed to connect: two for the thread that
    /// resolves the name, a socket, and the file of certificates. A failed step has closed its own descriptors.
    private static var descriptorShortage: String? {
        var spare: [Int32] = []
        defer { for descriptor in spare { close(descriptor) } }
        for _ in 0..<4 {
            // O_CLOEXEC is SOCK_CLOEXEC.
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
            if descriptor < 0 { return errno == EMFILE || errno == ENFILE ? String(cString: strerror(errno)) : nil }
            spare.append(descriptor)
        }
        return nil
    }

    /// The codes of a failed handshake.
    private static let ofTLS = Set(
        [
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            // CURLE_SSL_CLIENTCERT, which older headers don't have.
            CURLcode(98),
        ].map { Int($0.rawValue) })
}
#endif
