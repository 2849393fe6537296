import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite struct PartialBodiesTests {
    private func partial(_ bytes: Int, tag: String = "v1") throws -> PartialBody {
        let headers: HTTPHeaders = ["ETag": "\"\(tag)\"", "Accept-Ranges": "bytes"]
        let head = ResponseHead(status: 200, url: URL(fileURLWithPath: "/a.png"), headers: headers)
        return try #require(PartialBody(head, body: .memory(Data(repeating: 7, count: bytes)), now: 0))
    }

    @Test func part_isTakenOnce() throws {
        var parts = PartialBodies<String>()
        parts.keep(try partial(10), for: "a")
        #expect(parts.byteCount == 10)
        check(parts.take("a"), try partial(10))
        check(parts.take("a"), nil)
        #expect(parts.byteCount == 0)
    }

    @Test func longerPart_wins_andANewRepresentationReplacesBoth() throws {
        var parts = PartialBodies<String>()
        parts.keep(try partial(10), for: "a")
        parts.keep(try partial(5), for: "a")
        #expect(parts.byteCount == 10)
        parts.keep(try partial(20), for: "a")
        #expect(parts.byteCount == 20)
        parts.keep(try partial(3, tag: "v2"), for: "a")
        check(parts.take("a"), try partial(3, tag: "v2"))
    }

    @Test func partsInFiles_takeNoMemory_andAreAtMostEight() throws {
        let directory = try TemporaryDirectory()
        var parts = PartialBodies<Int>(byteLimit: 30)
        parts.keep(try partial(30), for: 0)
        for key in 1...9 {
            let file = try BodyFile(in: directory.path, FileSystem())
            try Data(count: 100).withUnsafeBytes { try file.append($0) }
            let headers: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
            let head = ResponseHead(status: 200, url: URL(fileURLWithPath: "/a.png"), headers: headers)
            parts.keep(try #require(PartialBody(head, body: .file(file), now: 0)), for: key)
        }
        #expect(parts.byteCount == 30 && parts.count == 9)
        #expect((0...9).filter { parts.take($0) == nil } == [1])
    }

    @Test func byteLimit_evictsTheOldestPart() throws {
        var parts = PartialBodies<String>(byteLimit: 30)
        for key in ["a", "b", "c"] { parts.keep(try partial(10), for: key) }
        // "a" is stored again, so "b" is now the oldest.
        parts.keep(try partial(10), for: "a")
        parts.keep(try partial(5), for: "d")
        #expect(parts.byteCount == 25)
        check(parts.take("b"), nil)
        #expect(["a", "c", "d"].map { key in parts.remove(key) }.count == 3)
        #expect(parts.byteCount == 0)
    }

    @Test func partAboveTheLimit_isNotStored() throws {
        var parts = PartialBodies<String>(byteLimit: 30)
        parts.keep(try partial(10), for: "a")
        parts.keep(try partial(31), for: "b")
        #expect(parts.byteCount == 10)
        // The shorter part remains usable unless it is of an earlier version of the resource.
        parts.keep(try partial(31), for: "a")
        #expect(parts.byteCount == 10)
        parts.keep(try partial(31, tag: "v2"), for: "a")
        #expect(parts.byteCount == 0)
        parts.keep(try partial(30), for: "a")
        #expect(parts.byteCount == 30)
    }

    @Test(arguments: [Int.min, 0])
    func byteLimitBelowOne_storesNothing(limit: Int) throws {
        var parts = PartialBodies<String>(byteLimit: limit)
        parts.keep(try partial(1), for: "a")
        #expect(parts.count == 0)
    }

    @Test func countLimit_evictsTheOldestPart() throws {
        var parts = PartialBodies<Int>(byteLimit: 1000, countLimit: 2)
        for key in 1...3 { parts.keep(try partial(1), for: key) }
        #expect(parts.count == 2)
        check(parts.take(1), nil)
        parts.removeAll()
        #expect(parts.count == 0)
        #expect(parts.brokenInvariant == nil)
    }

    @Test func randomHistories_preserveTheInvariants() throws {
        var random = SeededRandom(seed: 17)
        var parts = PartialBodies<Int>(byteLimit: 100, countLimit: 10)
        for _ in 0..<10_000 {
            let key = Int.random(in: 0..<20, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: parts.remove(key)
            case 1: _ = parts.take(key)
            default:
                let tag = Bool.random(using: &random) ? "v1" : "v2"
                let new = try partial(Int.random(in: 1...110, using: &random), tag: tag)
                parts.keep(new, for: key)
            }
            must(parts.brokenInvariant == nil, parts.brokenInvariant ?? "")
        }
    }
}
