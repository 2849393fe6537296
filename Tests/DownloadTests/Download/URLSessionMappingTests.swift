import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The errors of URLSession on Linux, as observed with a server that breaks its responses.
@Suite struct URLSessionMappingTests {
    private func error(_ code: URLError.Code, _ text: String, hasHead: Bool = false) throws -> ImageLoaderError {
        let sink = ResponseSink(maximumBytes: 100)
        if hasHead { try sink.begin(ResponseHead(status: 200, url: .test(), expectedBytes: 50)) }
        let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: text])
        return ImageLoaderError(sessionError: error, of: sink)
    }

    /// Ended by RST_STREAM, GOAWAY, the end of the connection or a wrong length.
    @Test(
        arguments: [
            "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)",
            "HTTP/2 stream 1 was not closed cleanly: CANCEL (err 8)",
            "HTTP/2 stream 5 was not closed cleanly: PROTOCOL_ERROR (err 1)",
            "HTTP/2 stream 1 was not closed cleanly: ENHANCE_YOUR_CALM (err 11)",
            "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream",
            "HTTP/2 stream 3 was reset", "Stream error in the HTTP/2 framing layer",
        ])
    func brokenStream_isATruncatedBodyOrALostConnection(text: String) throws {
        let detail = TransportDetail(text, code: URLError.Code.unknown.rawValue)
        #expect(try error(.unknown, text) == .connectionFailed(.lost, detail: detail))
        #expect(try error(.unknown, text, hasHead: true) == .truncated(received: 0, expected: 50))
    }

    /// GOAWAY that excludes the stream, REFUSED_STREAM, HTTP_1_1_REQUIRED or no response at all.
    @Test(
        arguments: [
            (.unknown, "Error in the HTTP2 framing layer"),
            (.unknown, "Connection died, tried 5 times before giving up"),
            (.badServerResponse, "Empty reply from server"),
            (.networkConnectionLost, "Recv failure: Connection reset by peer"),
            (.networkConnectionLost, "Send failure: Broken pipe"),
            (.unknown, "OpenSSL SSL_read: unexpected eof while reading"),
        ] as [(URLError.Code, String)])
    func unansweredConnection_isLost(code: URLError.Code, text: String) throws {
        for hasHead in [false, true] {
            #expect(
                try error(code, text, hasHead: hasHead)
                    == .connectionFailed(.lost, detail: .init(text, code: code.rawValue)))
        }
    }

    @Test(
        arguments: [
            "transfer closed with 60000 bytes remaining to read",
            "transfer closed with outstanding read data remaining",
        ])
    func earlyEnd_isATruncatedBody(text: String) throws {
        #expect(try error(.unknown, text, hasHead: true) == .truncated(received: 0, expected: 50))
    }

    @Test(
        arguments: [
            (.unsupportedURL, "Received HTTP/0.9 when not allowed"),
            (.unsupportedURL, "Unsupported HTTP version in response"),
            (.unknown, "Failed writing header"), (.unknown, "Header without colon"),
            (.unknown, "Invalid Content-Length: value"),
            (.unknown, "Unrecognized content encoding type. libcurl understands deflate, gzip content encodings."),
            (.unknown, "Illegal or missing hexadecimal sequence in chunked-encoding"),
            (.networkConnectionLost, "Illegal or missing hexadecimal sequence in chunked-encoding"),
            (.badServerResponse, "Weird server reply"),
        ] as [(URLError.Code, String)])
    func invalidResponse_isMalformed(code: URLError.Code, text: String) throws {
        #expect(try error(code, text, hasHead: true) == .malformedResponse(text))
    }

    // MARK: Codes of Apple's systems, whose texts are in the user's language

    @Test(
        arguments: [
            (.notConnectedToInternet, .other), (.dataNotAllowed, .other), (.internationalRoamingOff, .other),
            (.callIsActive, .other), (.clientCertificateRejected, .insecure), (.clientCertificateRequired, .insecure),
        ] as [(URLError.Code, ImageLoaderError.ConnectionFailure)])
    func missingConnection_isAConnectionFailure_whateverTheText(
        code: URLError.Code, failure: ImageLoaderError.ConnectionFailure
    ) throws {
        let text = "Keine HTTP-Verbindung, no TLS, no header"
        #expect(try error(code, text) == .connectionFailed(failure, detail: .init(text, code: code.rawValue)))
    }

    @Test func forbiddenConnection_isAMatterOfConfiguration_andNotRetried() throws {
        let error = try error(.appTransportSecurityRequiresSecureConnection, "The resource could not be loaded")
        guard case .unsupportedConfiguration(let text) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(text.contains("NSAppTransportSecurity"))
        var random = SplitMix64(seed: 1)
        let delay = RetryPolicy().delay(
            afterAttempt: 1, failure: error, headers: [:], isIdempotent: true, now: 0, using: &random)
        #expect(delay == nil)
    }

    @Test func brokenTransfer_isRetried_andLeavesItsPart() throws {
        var random = SplitMix64(seed: 1)
        for (code, text) in [
            (URLError.Code.unknown, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)"),
            (.unknown, "Error in the HTTP2 framing layer"), (.badServerResponse, "Empty reply from server"),
        ] {
            let error = try error(code, text, hasHead: true)
            #expect(error.leavesPart)
            let delay = RetryPolicy().delay(
                afterAttempt: 1, failure: error, headers: [:], isIdempotent: true, now: 0, using: &random)
            #expect(delay != nil)
        }
    }
}
