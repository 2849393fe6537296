import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite struct ResponseSinkTests {
    /// A server may say what it likes; a program that sets no limit must not end of it.
    @Test(arguments: [1 << 40, 1 << 62, .max])
    func aLengthBeyondAllMemory_isNotMadeRoomFor(length: Int) throws {
        var rules = ResponseRules()
        rules.byteLimit = .max
        let sink = ResponseSink(rules: rules)
        try sink.begin(ResponseHead(status: 200, url: .test(), expectedBytes: length))
        try sink.append(Data("x".utf8))
        #expect(throws: ImageLoaderError.truncated(received: 1, expected: length)) { try sink.finish() }
    }

    @Test func aWholeBeyondAllMemory_isNotMadeRoomFor() throws {
        var rules = ResponseRules()
        rules.byteLimit = .max
        let headers: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
        let first = try ResponseHead(status: 200, url: .test(), headers: headers)
        let sink = ResponseSink(rules: rules, resuming: PartialBody(first, body: Data("x".utf8), now: 0))
        let total = 1 << 62
        let rest: HTTPHeaders = ["ETag": "\"v1\"", "Content-Range": "bytes 1-\(total - 1)/\(total)"]
        try sink.begin(ResponseHead(status: 206, url: .test(), headers: rest, expectedBytes: total - 1))
        #expect(throws: ImageLoaderError.truncated(received: 1, expected: total)) { try sink.finish() }
    }
}
