import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The fields that are sent back to a server, so that it says whether a stored response is still valid.
@Suite struct ValidatorTests {
    private func response(_ headers: HTTPHeaders) -> StoredResponse {
        StoredResponse(headers: headers, freshness: Freshness(endSecond: 0), version: 1)
    }

    @Test(
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("a", true), ("\"a b\"", true), ("\"ü\"", true), ("", false),
            ("*", false), ("\"a\", \"b\"", false), ("\"a\rb\"", false), ("\"a\nb\"", false), ("\"a\r\nX: b\"", false),
            ("\"a\0b\"", false), ("\"a\tb\"", false), ("\"a\u{1}b\"", false), ("\"a\u{7F}b\"", false),
            ("\"a\u{1B}[0m\"", false), ("W/\"a\rb\"", false), ("a\rb", false),
            ("\"\u{FFFD}\"", false),
        ] as [(String, Bool)])
    func tag_isSentBack_ifItCanBe(tag: String, isValidator: Bool) {
        let conditions = response(["ETag": tag]).conditions
        #expect(conditions?["If-None-Match"] == (isValidator ? tag : nil))
        #expect((conditions != nil) == isValidator)
    }

    @Test(arguments: [
        ("Wed, 21 Oct 2015 07:28:00 GMT", true), ("", false), ("Wed, 21 Oct 2015 07:28:00 GMT\rx", false),
        ("Wed, 21 Oct\0 2015", false), ("a\nb", false), ("\u{7F}", false),
    ])
    func date_isSentBack_ifItCanBe(date: String, isValidator: Bool) {
        let tagged = response(["ETag": "\"a\"", "Last-Modified": date]).conditions
        #expect(tagged?["If-Modified-Since"] == (isValidator ? date : nil) && tagged?["If-None-Match"] == "\"a\"")
        #expect((response(["Last-Modified": date]).conditions != nil) == isValidator)
    }

    /// Servers refuse requests with a long head.
    @Test(arguments: [(2_048, true), (2_049, false), (20_000, false)])
    func longValue_isNoValidator(length: Int, isValidator: Bool) throws {
        let tag = "\"\(String(repeating: "a", count: length - 2))\""
        for name in ["ETag", "Last-Modified"] {
            #expect((response([name: tag]).conditions != nil) == isValidator)
        }
        let url = try #require(URL(string: "http://host.test/a"))
        let head = ResponseHead(
            status: 200, url: url, headers: ["Accept-Ranges": "bytes", "ETag": tag], expectedBytes: 9)
        #expect((PartialBody(head, body: .memory(Data(count: 4)), now: 0) != nil) == isValidator)
    }

    /// A tag that can't be sent distinguishes no versions either.
    @Test func tagThatCannotBeSent_makesNoVersion() throws {
        let url = try #require(URL(string: "http://host.test/a"))
        let versions = (0..<2).map { _ in
            let head = ResponseHead(status: 200, url: url, headers: ["ETag": "\"a\rb\""])
            return StoredResponse(head, bytes: 1, Freshness.Exchange(request: 0, response: 0), CacheRules()).version
        }
        #expect(versions[0] != versions[1])
    }

    // MARK: Bytes

    private static let latin1 = HTTPHeaders.Field(name: "ETag", bytes: [0x22, 0xE9, 0x22])
    private static let utf8 = HTTPHeaders.Field(name: "ETag", bytes: [0x22, 0xC3, 0xA9, 0x22])

    @Test(arguments: [
        [], [0x61], [0xE9], [0xC3, 0xA9], [0xFF, 0xC3], [0x80], [0xF0, 0x9F, 0x90, 0xA6], [0xED, 0xA0, 0x80],
    ])
    func valueOfAnyBytes_isKept(bytes: [UInt8]) {
        let field = HTTPHeaders.Field(name: "A", bytes: bytes)
        #expect(field.bytes == bytes)
        var metadata = EntryMetadata(source: "")
        metadata.response = response(HTTPHeaders([field]))
        #expect(EntryMetadata(metadata.encoded)?.response?.headers.first?.bytes == bytes)
        var changed = field
        changed.value = "é"
        #expect(changed.bytes == Array("é".utf8))
    }

    @Test func valuesThatLookAlike_areOthers() throws {
        #expect(Self.latin1.value == Self.utf8.value && Self.latin1 != Self.utf8)
        let stored = response(HTTPHeaders([Self.latin1]))
        #expect(stored.conditions?.first?.bytes == Self.latin1.bytes)
        let url = try #require(URL(string: "http://host.test/a"))
        func head(_ tag: HTTPHeaders.Field) -> ResponseHead {
            ResponseHead(status: 304, url: url, headers: HTTPHeaders([tag]))
        }
        for isRedirected in [false, true] {
            #expect(stored.isConfirmed(by: head(Self.latin1), isRedirected: isRedirected))
            #expect(!stored.isConfirmed(by: head(Self.utf8), isRedirected: isRedirected))
        }
        let versions = [Self.latin1, Self.utf8].map { tag in
            StoredResponse(head(tag), bytes: 1, Freshness.Exchange(request: 0, response: 0), CacheRules()).version
        }
        #expect(versions[0] != versions[1])
        let keys = try [Self.latin1, Self.utf8].map { tag in
            ImageKey(try ImageRequest.test { $0.headers = HTTPHeaders([tag]) })
        }
        #expect(keys[0] != keys[1])
    }

    /// The rest of a body is asked for with the bytes of the tag, and isn't joined to that of another one.
    @Test func restOfABody_hasTheSameBytesInItsTag() throws {
        let url = try #require(URL(string: "http://host.test/a"))
        func head(_ status: Int, _ tag: HTTPHeaders.Field, _ fields: HTTPHeaders) -> ResponseHead {
            var headers = fields
            headers.append(tag)
            return ResponseHead(status: status, url: url, headers: headers, expectedBytes: status == 200 ? 9 : 5)
        }
        let part = try #require(
            PartialBody(
                head(200, Self.latin1, ["Accept-Ranges": "bytes"]), body: .memory(Data(count: 4)), now: 0))
        #expect(part.requestFields.last?.bytes == Self.latin1.bytes && part.requestFields.last?.name == "If-Range")
        let rest: HTTPHeaders = ["Content-Range": "bytes 4-8/9"]
        #expect(part.judge(head(206, Self.latin1, rest)) == .rest(total: 9))
        #expect(part.judge(head(206, Self.utf8, rest)) == .useless)
    }
}
