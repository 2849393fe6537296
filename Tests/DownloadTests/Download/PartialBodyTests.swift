import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite struct PartialBodyTests {
    private static let url = URL(fileURLWithPath: "/a.png")
    private static let tagged: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
    private static let dated: HTTPHeaders = [
        "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
        "Accept-Ranges": "bytes",
    ]

    private func partial(
        _ headers: HTTPHeaders = tagged, status: Int = 200, bytes: Int = 4, of total: Int? = 10, method: String = "GET",
        setting changes: HTTPHeaders = [:]
    ) -> PartialBody? {
        var headers = headers
        for field in changes { headers[field.name] = field.value.isEmpty ? nil : field.value }
        let head = ResponseHead(status: status, url: Self.url, headers: headers, expectedBytes: total)
        return PartialBody(head, body: .memory(Data(repeating: 7, count: bytes)), method: method, now: 0)
    }

    @Test func requestFields_askForTheRest() throws {
        let partial = try #require(self.partial())
        #expect(
            partial.requestFields == ["Range": "bytes=4-", "Accept-Encoding": "identity", "If-Range": "\"v1\""])
        #expect(partial.total == 10)
        #expect(try #require(self.partial(Self.dated)).validator.value == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func part_requiresAnIncompleteUncodedGETBody() {
        #expect(partial(of: nil) != nil)
        #expect(partial(bytes: 9) != nil)
        #expect(partial(bytes: 1) != nil)
        #expect(partial(bytes: 0) == nil)
        #expect(partial(bytes: 10) == nil)
        #expect(partial(bytes: 11) == nil)
        #expect(partial(status: 206) == nil)
        #expect(partial(status: 203) == nil)
        #expect(partial(method: "HEAD") == nil)
        #expect(partial(method: "POST") == nil)
        #expect(partial(setting: ["Content-Encoding": "gzip"]) == nil)
        #expect(partial(setting: ["Content-Encoding": "Identity"]) != nil)
        #expect(partial(setting: ["Cache-Control": "max-age=5, no-store"]) == nil)
        #expect(partial(setting: ["Cache-Control": "no-cache"]) != nil)
    }

    @Test(arguments: [
        ("bytes", true), ("Bytes", true), ("items, bytes", true), ("none", false), ("", false), ("bytesx", false),
    ])
    func part_requiresAcceptRangesBytes(value: String, isPart: Bool) {
        #expect((partial(setting: ["Accept-Ranges": value]) != nil) == isPart)
    }

    @Test(arguments: [
        ("\"\"", true), ("\"a-b/c=\"", true), ("\"ü\"", true), ("W/\"v1\"", false), ("w/\"v1\"", false), ("v1", false),
        ("\"", false), ("\"v1", false), ("v1\"", false), ("\"a\", \"b\"", false), ("\"a b\"", false),
        ("\"a\r\nX: 1\"", false), ("\"\u{7F}\"", false),
    ])
    func weakOrInvalidEntityTag_isNoValidator(tag: String, isPart: Bool) {
        #expect((partial(setting: ["ETag": tag]) != nil) == isPart)
        // A strong date beside it doesn't help.
        #expect((partial(Self.dated, setting: ["ETag": tag]) != nil) == isPart)
    }

    @Test(
        arguments: [
            (["Date": "Sun, 06 Nov 1994 08:50:37 GMT"], true), (["Date": "Sun, 06 Nov 1994 08:50:36 GMT"], false),
            (["Date": "Sun, 06 Nov 1994 08:49:00 GMT"], false), (["Date": "yesterday"], false), (["Date": ""], false),
            (["Last-Modified": ""], false), (["Last-Modified": "long ago"], false),
            (["Last-Modified": "Sun Nov  6 08:49:37 1994"], true),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT\r"], false),
            (["Last-Modified": "\rSun, 06 Nov 1994 08:49:37 GMT"], false),
        ] as [(HTTPHeaders, Bool)])
    func lastModified_isAValidator_ifAMinuteOlderThanTheDate(changes: HTTPHeaders, isPart: Bool) {
        #expect((partial(Self.dated, setting: changes) != nil) == isPart)
    }

    // MARK: Answers

    /// Judges an answer that has the part's validator unless `changes` differ.
    private func answer(
        _ range: String? = "bytes 4-9/10", status: Int = 206, to partial: PartialBody?,
        headers changes: HTTPHeaders = [:],
        expected: Int? = nil, url: URL = url
    ) -> PartialBody.Answer? {
        var headers: HTTPHeaders = [:]
        for name in ["ETag", "Last-Modified"] { headers[name] = partial?.head.headers[name] }
        for field in changes { headers[field.name] = field.value.isEmpty ? nil : field.value }
        headers["Content-Range"] = range
        return partial?.judge(ResponseHead(status: status, url: url, headers: headers, expectedBytes: expected))
    }

    @Test(
        arguments: [
            (10, "bytes 4-9/10", true), (10, "bytes 4-9/*", true), (nil, "bytes 4-9/10", true),
            (nil, "bytes 4-99/100", true), (nil, "bytes 4-9/*", false),
            (10, "bytes 4-8/10", false), (10, "bytes 4-8/9", false), (10, "bytes 4-10/11", false),
            (10, "bytes 3-9/10", false), (10, "bytes 5-9/10", false), (10, "bytes 0-9/10", false),
            (10, "bytes 4-8/*", false), (10, "bytes 4-10/*", false), (nil, "bytes 4-8/10", false),
            (10, "bytes */10", false), (10, "bytes 4-9/10, bytes 4-9/10", false), (10, "rubbish", false),
            (10, nil, false),
        ] as [(Int?, String?, Bool)])
    func contentRange_mustBeExactlyTheRest(total: Int?, range: String?, continues: Bool) {
        let expected = PartialBody.Answer.rest(total: range == "bytes 4-99/100" ? 100 : 10)
        #expect(answer(range, to: partial(of: total)) == (continues ? expected : .useless))
    }

    @Test func multipartRanges_areUseless() {
        let headers: HTTPHeaders = ["Content-Type": "multipart/byteranges; boundary=x"]
        #expect(answer(nil, to: partial(), headers: headers) == .useless)
    }

    @Test func announcedLength_mustMatchTheRange() {
        #expect(answer(to: partial(), expected: 6) == .rest(total: 10))
        #expect(answer(to: partial(), expected: 5) == .useless)
        #expect(answer(to: partial(), expected: 10) == .useless)
    }

    @Test func codedRest_isUseless() {
        #expect(answer(to: partial(), headers: ["Content-Encoding": "gzip"]) == .useless)
    }

    @Test func strongTag_mustMatch() {
        #expect(answer(to: partial()) == .rest(total: 10))
        for tag in ["\"v2\"", "W/\"v1\"", "", "v1", "\"V1\"", "\"v1\", \"v1\"", "\"v1\" "] {
            #expect(answer(to: partial(), headers: ["ETag": tag]) == .useless, "\(tag)")
        }
        // A date doesn't replace the tag, even if it matches.
        let both = partial(Self.dated, setting: ["ETag": "\"v1\""])
        #expect(answer(to: both) == .rest(total: 10))
        #expect(answer(to: both, headers: ["ETag": ""]) == .useless)
        #expect(answer(to: both, headers: ["ETag": "\"v2\""]) == .useless)
    }

    @Test func lastModified_mustMatch_withoutATag() {
        let dated = partial(Self.dated)
        #expect(answer(to: dated) == .rest(total: 10))
        let changes: [HTTPHeaders] = [
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"], ["Last-Modified": ""],
            // The same second, but another text.
            ["Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT"], ["ETag": "\"v1\""],
            ["Last-Modified": "", "ETag": "\"v1\""],
        ]
        for change in changes { #expect(answer(to: dated, headers: change) == .useless, "\(change)") }
    }

    @Test func validator_appliesToOneURL() {
        let elsewhere = URL(fileURLWithPath: "/b.png")
        #expect(answer(to: partial(), url: elsewhere) == .useless)
        #expect(answer(to: partial(Self.dated), url: elsewhere) == .useless)
    }

    @Test(
        arguments: [
            ("image/png", "image/png", true), ("image/png", "IMAGE/PNG ; charset=x", true), ("image/png", nil, true),
            (nil, nil, true), ("image/png", "image/webp", false), (nil, "image/png", false),
            ("image/png", "multipart/byteranges; boundary=x", false), ("image/png", "image/pngx", false),
        ] as [(String?, String?, Bool)])
    func differentMediaType_isAnotherRepresentation(first: String?, second: String?, continues: Bool) {
        let part = partial(setting: ["Content-Type": first ?? ""])
        let answer = answer(to: part, headers: ["Content-Type": second ?? ""])
        #expect(answer == (continues ? .rest(total: 10) : .useless))
    }

    @Test(
        arguments: [
            ("", "identity", true), ("identity", "", true), ("aws-chunked", "AWS-chunked", true), ("", "gzip", false),
            ("aws-chunked", "", false), ("", "aws-chunked", false), ("aws-chunked", "utf-8", false),
        ])
    func differentCoding_isAnotherRepresentation(first: String, second: String, continues: Bool) {
        let part = partial(setting: ["Content-Encoding": first])
        let answer = answer(to: part, headers: ["Content-Encoding": second])
        #expect(answer == (continues ? .rest(total: 10) : .useless))
    }

    @Test(
        arguments: [
            (200, .whole), (203, .whole), (416, .useless), (404, .failure), (503, .failure), (304, .failure),
        ] as [(Int, PartialBody.Answer)])
    func otherStatus_isJudged(status: Int, expected: PartialBody.Answer) {
        #expect(answer(nil, status: status, to: partial()) == expected)
        #expect(answer(status: status, to: partial()) == expected)
    }

    @Test func randomContentRange_neverTraps_andOnlyTheRestContinues() {
        var random = SeededRandom(seed: 15)
        let partials = [partial(), partial(of: nil)]
        var continued = 0
        for _ in 0..<20_000 {
            let range = random.rubbish(from: ["bytes 4-9/10", "bytes 4-9/*"], alphabet: "0123456789-/*")
            for partial in partials {
                guard case .rest(let total) = answer(range, to: partial) else { continue }
                continued += 1
                must(total == partial?.total ?? total && ContentRange(range)?.bytes == 4...(total - 1), range)
            }
        }
        #expect(continued > 0)
    }
}
