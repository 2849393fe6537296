#if os(Linux) && Curl
import Testing

@testable import Alcedo

/// Heads as libcurl delivers them, line by line.
@Suite struct CurlHeadTests {
    /// The head with these lines and the empty line, which alone completes it.
    private func head(_ lines: String...) throws -> CurlHead {
        var head = CurlHead()
        for line in lines {
            let isComplete = try head.take(line + "\r\n")
            #expect(!isComplete)
        }
        let isComplete = try head.take("\r\n")
        #expect(isComplete && head.isComplete)
        return head
    }

    private func expectMalformed(_ lines: String...) {
        let error = #expect(throws: ImageLoaderError.self) {
            var head = CurlHead()
            for line in lines + [""] {
                let isComplete = try head.take(line + "\r\n")
                #expect(!isComplete)
            }
        }
        #expect(error?.kind == .malformedResponse)
    }

    @Test func head_isComplete_withItsEmptyLine() throws {
        var head = try head("HTTP/1.1 200 OK", "ETag: \"1\"", "X-Folded: a", "\t b")
        #expect(head.status == 200)
        #expect(head.fields.map(\.value) == ["\"1\"", "a b"])
        // Further lines are trailers.
        let isComplete = try head.take("X-Late: 1\r\n")
        #expect(!isComplete && head.fields.count == 2)
    }

    @Test func newHead_replacesAnInformationalOne() throws {
        let head = try head("HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/2 204", "ETag: \"1\"")
        #expect(head.status == 204 && head.isMultiplexed)
        #expect(head.fields.map(\.name) == ["ETag"])
    }

    @Test(arguments: ["HTTP/9: x", "HTTP/1.1 500 No: x", "HTTP/2 100", "HTTP/"])
    func statusLineInAHead_isAtMostAField(line: String) throws {
        let head = try head("HTTP/1.1 200 OK", "ETag: \"1\"", line)
        #expect(head.status == 200 && !head.isMultiplexed)
        #expect(head.fields.first?.name == "ETag")
    }

    @Test(arguments: ["HTTP/9 x", "HTTP/1.1 20 OK", "HTTP/1.1 099 OK", "ICY 200 OK", "X: 1", "HTTP/1.1 101 Switching"])
    func headWithoutAValidStatusLine_isMalformed(line: String) {
        expectMalformed(line, "X: 1")
    }

    /// Only an empty line ends a head for libcurl: it sets up decoders for fields that follow a line of blanks.
    @Test func blankLine_isPartOfTheHead() throws {
        let head = try head("HTTP/1.1 200 OK", "X: 1", " \t", "ETag: \"1\"")
        #expect(head.fields.map(\.value) == ["1", "\"1\""])
        expectMalformed("HTTP/1.1 200 OK", "X: 1", " \t", "Content-Encoding: gzip", "\t, gzip")
    }

    /// libcurl asks again over HTTP/1.1 by itself if the server demands that, even if a part of the body has arrived.
    @Test func secondFinalHead_isALostConnection() throws {
        var head = CurlHead()
        for line in ["HTTP/2 200 \r\n", "X: 1\r\n", "\r\n"] { _ = try head.take(line) }
        // A trailer.
        #expect(try !head.take("X-HTTP/1.1: 1\r\n"))
        let error = #expect(throws: ImageLoaderError.self) { try head.take("HTTP/1.1 200 OK\r\n") }
        if case .connectionFailed(.lost, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func codingsOfAllHeads_areCounted() {
        expectMalformed(
            "HTTP/1.1 103 Early Hints", "Content-Encoding: gzip", "", "HTTP/1.1 200 OK", "Content-Encoding: br")
        expectMalformed("HTTP/1.1 103 Early Hints", "Content-Encoding: gzip, gzip")
        expectMalformed("HTTP/1.1 200 OK", "Content-Encoding: gzip", "content-encoding: zstd")
        expectMalformed(
            "HTTP/1.1 302 Found", "Location: /b", "Content-Encoding: gzip", "Transfer-Encoding: gzip, chunked")
    }
}

extension CurlHead {
    mutating func take(_ line: String) throws -> Bool {
        try Array(line.utf8).withUnsafeBytes { try take($0) }
    }
}
#endif
