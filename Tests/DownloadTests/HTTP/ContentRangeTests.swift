import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 42-1233/1234", 42...1233, 1234),
            ("bytes 42-1233/*", 42...1233, nil),
            ("bytes */1234", nil, 1234),
            ("bytes 0-0/1", 0...0, 1),
            ("bytes */0", nil, 0),
            ("Bytes 100-999/1000 ", 100...999, 1000),
            ("bytes 0-9223372036854775805/9223372036854775806", 0...(.max - 2), .max - 1),
        ] as [(String, ClosedRange<Int>?, Int?)])
    func validForms_areParsed(text: String, bytes: ClosedRange<Int>?, total: Int?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.bytes == bytes)
        #expect(range.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes */*", "bytes *", "bytes /10", "bytes 0-9", "bytes 0-9/", "bytes 0/10",
        "bytes -9/10", "bytes 0-/10", "bytes 9-0/10", "bytes 0-10/10", "bytes 10-19/10", "bytes=0-9/10",
        "bytes  0-9/10", "bytes 0 - 9/10", "bytes 0-9/10,", "bytes 0-9/10, bytes 0-9/10", "items 0-9/10",
        "bytes +0-9/10", "bytes 0--9/10", "bytes 0x0-9/10", "bytes 0-9/-1",
        "bytes 0-9223372036854775807/*", "bytes 0-9/9223372036854775807", "bytes */99999999999999999999",
        "bytes 99999999999999999999-99999999999999999999/*",
    ])
    func anythingElse_isNoRange(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func anyText_isHandled_andParsedRangesAreConsistent() {
        var random = SeededRandom(seed: 8)
        let seeds = ["bytes 100-999/1000", "bytes 0-9/*", "bytes */1000", "bytes 0-9223372036854775807/*"]
        var read = 0
        for _ in 0..<20_000 {
            let text = random.rubbish(from: seeds, alphabet: "0123456789 -/*bytes")
            guard let range = ContentRange(text) else { continue }
            read += 1
            must(range.bytes != nil || range.total != nil, text)
            if let bytes = range.bytes { must(bytes.count > 0 && bytes.upperBound < range.total ?? .max, text) }
        }
        #expect(read > 100)
    }
}
