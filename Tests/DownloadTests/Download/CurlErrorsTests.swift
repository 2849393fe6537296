#if os(Linux) && Curl
import CCurl
import Foundation
import Testing

@testable import Alcedo

@Suite struct CurlErrorsTests {
    private func detail(_ code: CURLcode, _ text: String = "message") -> TransportDetail {
        TransportDetail(text, code: Int(code.rawValue))
    }

    private func error(
        _ code: CURLcode, _ text: String = "message", lines: [String] = [], isReused: Bool = false, hops: Int = 0
    ) throws -> ImageLoaderError? {
        var head = CurlHead()
        for line in lines { _ = try head.take(line) }
        var request = DataRequest(url: try #require(URL(string: "http://a/")))
        request.hops = hops
        return ImageLoaderError(
            code, text: text, head: head, sink: ResponseSink(maximumBytes: 1), request: request, isReused: isReused)
    }

    private let wholeHead = ["HTTP/1.1 200 OK\r\n", "\r\n"]

    @Test func success_requiresACompleteHead() throws {
        #expect(try error(CURLE_OK, lines: wholeHead) == nil)
        for lines in [[], ["HTTP/1.1 200 OK\r\n"], ["HTTP/1.1 103 Early\r\n", "\r\n"]] {
            for code in [CURLE_OK, CURLE_PARTIAL_FILE] {
                guard case .connectionFailed(.lost, _) = try error(code, lines: lines) else {
                    Issue.record("\(lines)")
                    continue
                }
            }
        }
    }

    @Test func malformedURL_isTheCallersOrTheRedirects() throws {
        #expect(try error(CURLE_URL_MALFORMAT) == .invalidURL("http://a/", reason: "message"))
        #expect(
            try error(CURLE_URL_MALFORMAT, hops: 1) == .redirectRefused(location: "http://a/", reason: "message"))
    }

    @Test func code_mapsToItsError() throws {
        let lost: [CURLcode] = [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING]
        for code in lost { #expect(try error(code) == .connectionFailed(.lost, detail: detail(code))) }
        for code in [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY] {
            #expect(try error(code) == .connectionFailed(.hostNotFound, detail: detail(code)))
        }
        #expect(try error(CURLE_COULDNT_CONNECT) == .connectionFailed(.refused, detail: detail(CURLE_COULDNT_CONNECT)))
        for code in [CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLcode(98)] {
            #expect(try error(code) == .connectionFailed(.insecure, detail: detail(code)))
        }
        for code in [CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_BAD_FUNCTION_ARGUMENT] {
            #expect(try error(code) == .malformedResponse("message"))
        }
        for code in [CURLE_HTTP2, CURLE_HTTP2_STREAM] {
            #expect(try error(code) == .connectionFailed(.lost, detail: detail(code)))
        }
        #expect(try error(CURLE_HTTP2_STREAM, lines: wholeHead) == .truncated(received: 0, expected: nil))
        #expect(try error(CURLE_OPERATION_TIMEDOUT) == .timedOut(.idle))
        #expect(try error(CURLE_PARTIAL_FILE, lines: wholeHead) == .truncated(received: 0, expected: nil))
        #expect(try error(CURLE_URL_MALFORMAT) == .invalidURL("http://a/", reason: "message"))
        let required = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
        #expect(
            try error(CURLE_RECV_ERROR, required)
                == .connectionFailed(.insecure, detail: detail(CURLE_RECV_ERROR, required)))
        #expect(try error(CURLE_SSL_CERTPROBLEM) == .unsupportedConfiguration("message"))
        #expect(try error(CURLE_SSL_CACERT_BADFILE) == .unsupportedConfiguration("message"))
        #expect(try error(CURLE_UNSUPPORTED_PROTOCOL) == .unsupportedConfiguration("message"))
        #expect(
            try error(CURLE_FTP_WEIRD_PASS_REPLY)
                == .connectionFailed(.other, detail: detail(CURLE_FTP_WEIRD_PASS_REPLY)))
    }

    @Test func ambiguousCode_isDistinguishedByItsMessage() throws {
        let old = "Received HTTP/0.9 when not allowed"
        #expect(try error(CURLE_UNSUPPORTED_PROTOCOL, old) == .malformedResponse(old))
        for text in [
            "Unsupported HTTP version (1.7) in response", "Unsupported response code in HTTP response",
        ] {
            #expect(try error(CURLE_UNSUPPORTED_PROTOCOL, text) == .malformedResponse(text))
        }
        for text in [
            "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a:1", "Recv failure: Connection reset by peer",
            "Send failure: Broken pipe", "GnuTLS, handshake failed: The TLS connection was non-properly terminated.",
        ] {
            #expect(
                try error(CURLE_SSL_CONNECT_ERROR, text)
                    == .connectionFailed(.lost, detail: detail(CURLE_SSL_CONNECT_ERROR, text)))
        }
        let thread = "getaddrinfo() thread failed to start"
        #expect(
            try error(CURLE_COULDNT_RESOLVE_HOST, thread)
                == .connectionFailed(.refused, detail: detail(CURLE_COULDNT_RESOLVE_HOST, thread)))
        // Bytes left on a reused connection don't belong to this response.
        let lost = detail(CURLE_UNSUPPORTED_PROTOCOL, old)
        #expect(try error(CURLE_UNSUPPORTED_PROTOCOL, old, isReused: true) == .connectionFailed(.lost, detail: lost))
        let version = "Unsupported HTTP version (1.7) in response"
        #expect(try error(CURLE_UNSUPPORTED_PROTOCOL, version, isReused: true) == .malformedResponse(version))
        let chunk = "Illegal or missing hexadecimal sequence in chunked-encoding"
        #expect(try error(CURLE_RECV_ERROR, chunk) == .malformedResponse(chunk))
    }
}
#endif
