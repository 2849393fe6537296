#if os(Linux) && Curl
import CCurl
import Testing

@testable import Alcedo

@Suite struct CurlErrorsTests {
    private func error(_ code: CURLcode, _ text: String = "words", lines: [String] = []) -> ImageLoaderError? {
        var head = CurlHead()
        for line in lines { _ = Array(line.utf8).withUnsafeBytes { head.take($0) } }
        return ImageLoaderError(code, text: text, head: head, sink: ResponseSink(byteLimit: 1), url: "http://a/")
    }

    private let wholeHead = ["HTTP/1.1 200 OK\r\n", "\r\n"]

    @Test func aSuccess_needsAWholeHead() {
        #expect(error(CURLE_OK, lines: wholeHead) == nil)
        for lines in [[], ["HTTP/1.1 200 OK\r\n"], ["HTTP/1.1 103 Early\r\n", "\r\n"]] {
            for code in [CURLE_OK, CURLE_PARTIAL_FILE] {
                guard case .connectionFailed(.lost, _) = error(code, lines: lines) else {
                    Issue.record("\(lines)")
                    continue
                }
            }
        }
    }

    @Test func eachCode_isItsError() {
        let lost: [CURLcode] = [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING]
        for code in lost { #expect(error(code) == .connectionFailed(.lost, detail: "words")) }
        for code in [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY] {
            #expect(error(code) == .connectionFailed(.hostNotFound, detail: "words"))
        }
        #expect(error(CURLE_COULDNT_CONNECT) == .connectionFailed(.refused, detail: "words"))
        for code in [CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM] {
            #expect(error(code) == .connectionFailed(.insecure, detail: "words"))
        }
        for code in [CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_BAD_FUNCTION_ARGUMENT] {
            #expect(error(code) == .malformedResponse("words"))
        }
        for code in [CURLE_HTTP2, CURLE_HTTP2_STREAM] {
            #expect(error(code) == .connectionFailed(.lost, detail: "words"))
        }
        #expect(error(CURLE_HTTP2_STREAM, lines: wholeHead) == .truncated(received: 0, expected: nil))
        #expect(error(CURLE_OPERATION_TIMEDOUT) == .timedOut(.idle))
        #expect(error(CURLE_PARTIAL_FILE, lines: wholeHead) == .truncated(received: 0, expected: nil))
        #expect(error(CURLE_URL_MALFORMAT) == .invalidURL("http://a/", reason: "words"))
        #expect(error(CURLE_SSL_CACERT_BADFILE) == .unsupportedConfiguration("words"))
        #expect(error(CURLE_UNSUPPORTED_PROTOCOL) == .unsupportedConfiguration("words"))
        #expect(error(CURLE_FTP_WEIRD_PASS_REPLY) == .connectionFailed(.other, detail: "words"))
    }

    @Test func someCodes_areToldApartByTheirWords() {
        let old = "Received HTTP/0.9 when not allowed"
        #expect(error(CURLE_UNSUPPORTED_PROTOCOL, old) == .malformedResponse(old))
        for text in [
            "Unsupported HTTP version (1.7) in response", "Unsupported response code in HTTP response",
        ] {
            #expect(error(CURLE_UNSUPPORTED_PROTOCOL, text) == .malformedResponse(text))
        }
        for text in [
            "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a:1", "Recv failure: Connection reset by peer",
            "Send failure: Broken pipe", "GnuTLS, handshake failed: The TLS connection was non-properly terminated.",
        ] {
            #expect(error(CURLE_SSL_CONNECT_ERROR, text) == .connectionFailed(.lost, detail: text))
        }
        let chunk = "Illegal or missing hexadecimal sequence in chunked-encoding"
        #expect(error(CURLE_RECV_ERROR, chunk) == .malformedResponse(chunk))
    }
}
#endif
