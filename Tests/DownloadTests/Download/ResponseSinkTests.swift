import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct ResponseSinkTests {
    /// A server may announce any length; a program without a limit must not crash on it.
    @Test(arguments: [1 << 40, 1 << 62, .max])
    func hugeAnnouncedLength_reservesNoMemory(length: Int) throws {
        var rules = ResponseRules()
        rules.maximumBytes = .max
        let sink = ResponseSink(rules: rules)
        try sink.begin(ResponseHead(status: 200, url: .test(), expectedBytes: length))
        try sink.append(Data("x".utf8))
        #expect(throws: ImageLoaderError.truncated(received: 1, expected: length)) { try sink.finish() }
    }

    @Test func hugeTotalLength_reservesNoMemory() throws {
        var rules = ResponseRules()
        rules.maximumBytes = .max
        let headers: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
        let first = try ResponseHead(status: 200, url: .test(), headers: headers)
        let sink = ResponseSink(rules: rules, resuming: PartialBody(first, body: .memory(Data("x".utf8)), now: 0))
        let total = 1 << 62
        let rest: HTTPHeaders = ["ETag": "\"v1\"", "Content-Range": "bytes 1-\(total - 1)/\(total)"]
        try sink.begin(ResponseHead(status: 206, url: .test(), headers: rest, expectedBytes: total - 1))
        #expect(throws: ImageLoaderError.truncated(received: 1, expected: total)) { try sink.finish() }
    }

    // MARK: Bodies without a head, and codings

    @Test func bodyWithoutAHead_isRejected_andIsNoProgress() throws {
        let sink = ResponseSink(rules: ResponseRules()) {
            if case .refused = $0 { return }
            Issue.record("\($0)")
        }
        for chunk in [Data(), Data("x".utf8)] {
            #expect(throws: ImageLoaderError.malformedResponse("a body without a head")) { try sink.append(chunk) }
        }
        #expect(throws: ImageLoaderError.badStatus(404)) { try sink.begin(ResponseHead(status: 404, url: .test())) }
        #expect(throws: ImageLoaderError.malformedResponse("a body without a head")) {
            try sink.append(Data("x".utf8))
        }
        #expect(sink.received == 0)
    }

    @Test(arguments: [
        "gzip, br", "gzip,gzip", "x-gzip , deflate", "ZSTD,identity,aws-chunked,Gzip", "gzip\u{B},gzip\u{C}",
        "compress,gzip",
        "a\u{600},gzip,gzip", "gzip,\u{301}a,gzip",
    ])
    func severalCompressingCodings_areRejected(codings: String) throws {
        let headers: [HTTPHeaders] = [
            ["Content-Encoding": codings], ["Transfer-Encoding": codings + ", chunked"],
            ["Content-Encoding": "gzip", "Transfer-Encoding": "br, chunked"],
            HTTPHeaders([("Content-Encoding", "gzip"), ("content-encoding", "br")]),
        ]
        for headers in headers {
            let sink = ResponseSink(rules: ResponseRules()) {
                if case .refused = $0 { return }
                Issue.record("\($0)")
            }
            let error = #expect(throws: ImageLoaderError.self) {
                try sink.begin(ResponseHead(status: 200, url: .test(), headers: headers))
            }
            guard case .malformedResponse(let detail) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(detail.contains("2 compressing codings"))
        }
    }

    @Test(arguments: [
        "gzip", "gzip, identity", "aws-chunked", "utf-8, binary", "", ",", "identity, none", "gzip, aws-chunked",
    ])
    func singleCompressingCodingOrNone_isAccepted(codings: String) throws {
        let sink = ResponseSink(rules: ResponseRules())
        let headers: HTTPHeaders = ["Content-Encoding": codings, "Transfer-Encoding": "chunked"]
        try sink.begin(ResponseHead(status: 200, url: .test(), headers: headers))
    }

    // MARK: Times

    /// The redirects before are part of the attempt, and not of the time that the last server took.
    @Test func firstByte_isThatOfTheLastHop() throws {
        let clock = ManualClock()
        let waits = Recorder<Duration>()
        let sink = ResponseSink(rules: ResponseRules(), time: TimeSource(clock)) {
            if case .response(_, let wait) = $0 { waits.record(wait) }
        }
        sink.start()
        clock.advance(by: .seconds(5))
        sink.record(redirect: 302, to: "/b", [:])
        clock.advance(by: .seconds(3))
        sink.connected(after: .seconds(1), isReused: false)
        try sink.begin(ResponseHead(status: 200, url: .test()))
        #expect(waits.values == [.seconds(2)] && sink.elapsed == .seconds(8))
    }
}
