import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The queue of writes for a shared store.
@Suite struct WriteBacklogTests {
    private let backlog = Backlog()

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private func write(
        _ number: Int, tags: Set<String> = [], expires: Int64? = nil, headers: HTTPHeaders = [:], count: Int = 10
    ) -> WriteBacklog.Write {
        var properties = EntryMetadata(source: key(number).source)
        properties.tags = tags
        properties.response = StoredResponse(headers: headers, freshness: Freshness(endSecond: 9), version: 1)
        let metadata = StoredMetadata(properties, for: key(number), expires: expires)
        return WriteBacklog.Write(StoredBody(Data(count: count)), metadata)
    }

    /// Adds a write. Returns the keys of the dropped writes.
    @discardableResult
    private func add(_ write: WriteBacklog.Write) -> [StoredKey] {
        backlog.add(write).dropped.map(\.metadata.key)
    }

    /// Carries out all writes. Returns their keys.
    private func drain() -> [StoredKey] {
        var keys: [StoredKey] = []
        while let write = backlog.next() {
            keys.append(write.metadata.key)
            _ = backlog.end(write)
        }
        return keys
    }

    @Test func writes_areCarriedOutInTheirOrder() {
        for number in 0..<3 { add(write(number)) }
        #expect(backlog.count == 3 && backlog.heldBytes > 30)
        #expect(drain() == [key(0), key(1), key(2)])
        #expect(backlog.count == 0 && backlog.heldBytes == 0)
    }

    @Test func writers_areStarted_upToTheirNumber_andAgainAfterTheirEnd() {
        let starts = (0..<6).map { backlog.add(write($0)).startsWriter }
        #expect(starts == [true, true, true, true, false, false])
        // One of them ends.
        _ = drain()
        #expect(backlog.add(write(6)).startsWriter && !backlog.add(write(7)).startsWriter)
    }

    @Test func fullQueue_dropsTheOldest() {
        for number in 0..<6 { #expect(add(write(number)) == []) }
        #expect(add(write(6)) == [key(0)])
        #expect(backlog.next()?.metadata.key == key(1))
        // A running write isn't dropped.
        #expect(add(write(7)) == [key(2)])
        #expect(drain() == [key(3), key(4), key(5), key(6), key(7)])
    }

    @Test func bytes_areLimited_andCountUntilTheEnd() throws {
        #expect(add(write(0, count: 100_000)) == [key(0)])
        add(write(1, count: 40_000))
        add(write(2, count: 40_000))
        #expect(add(write(3, count: 40_000)) == [key(1)])
        let running = try [#require(backlog.next()), #require(backlog.next())]
        // There is no room, whatever is dropped.
        add(write(4))
        #expect(add(write(5, count: 40_000)) == [key(5)])
        for write in running { _ = backlog.end(write) }
        #expect(add(write(6, count: 90_000)) == [])
        #expect(drain() == [key(4), key(6)] && backlog.heldBytes == 0)
    }

    @Test(
        arguments: [
            (StoredSelection.all, [0, 1, 2]), (.expired, [1]), (.keys([StoredKey("http://h/2")]), [2]),
            (.source("http://h/0"), [0]), (.tag("a"), [0, 1]), (.tag("b"), []),
        ] as [(StoredSelection, [Int])])
    func removal_dropsWhatItSelects(_ selection: StoredSelection, _ chosen: [Int]) {
        add(write(0, tags: ["a"]))
        add(write(1, tags: ["a", "c"], expires: 100))
        add(write(2, expires: 101))
        let removed = backlog.remove(selection, at: 100)
        #expect(removed.dropped.map(\.metadata.key) == chosen.map { key($0) } && removed.keys.count == chosen.count)
        #expect(drain() == [0, 1, 2].filter { !chosen.contains($0) }.map { key($0) } && backlog.heldBytes == 0)
    }

    @Test func removal_namesRunningWrites_andLetsThemEnd() throws {
        add(write(0, tags: ["a"]))
        add(write(1, tags: ["a"]))
        let running = try #require(backlog.next())
        let removed = backlog.remove(.tag("a"), at: 0)
        #expect(removed.dropped.map(\.metadata.key) == [key(1)] && Set(removed.keys) == [key(0), key(1)])
        #expect(backlog.count == 1)
        _ = backlog.end(running)
        #expect(backlog.count == 0 && backlog.heldBytes == 0)
    }

    @Test func privateEntry_isARemoval_withoutItsBytes() throws {
        add(write(0, tags: ["a"], headers: ["Cache-Control": "private"], count: 100_000))
        #expect(backlog.heldBytes < 10_000)
        #expect(backlog.remove(.tag("a"), at: 0).dropped.isEmpty)
        let next = try #require(backlog.next())
        #expect(next.isRemoval && next.body == nil)
    }

    @Test func waiting_endsWithTheLastWriteBeforeIt() throws {
        #expect(backlog.wait() == nil)
        add(write(0))
        add(write(1))
        let early = try #require(backlog.wait())
        add(write(2))
        let late = try #require(backlog.wait())
        let (first, second) = try (#require(backlog.next()), #require(backlog.next()))
        #expect(backlog.end(second) == [])
        #expect(backlog.end(first) == [early])
        #expect(backlog.removeAll().ready == [late])
        #expect(backlog.wait() == nil)
    }

    @Test func removal_endsWaiting() throws {
        add(write(0))
        let waiting = try #require(backlog.wait())
        #expect(backlog.remove(.all, at: 0).ready == [waiting])
    }
}

/// A queue that an expectation can change.
private final class Backlog {
    private var backlog = WriteBacklog(maximumCount: 6, maximumBytes: 100_000)

    var count: Int { backlog.count }
    var heldBytes: Int { backlog.heldBytes }

    func add(_ write: WriteBacklog.Write) -> (dropped: [WriteBacklog.Write], startsWriter: Bool) { backlog.add(write) }
    func next() -> WriteBacklog.Write? { backlog.next() }
    func end(_ write: WriteBacklog.Write) -> [UInt64] { backlog.end(write) }
    func remove(
        _ selection: StoredSelection, at second: Int64
    ) -> (dropped: [WriteBacklog.Write], keys: [StoredKey], ready: [UInt64]) {
        backlog.remove(selection, at: second)
    }
    func removeAll() -> (dropped: [WriteBacklog.Write], ready: [UInt64]) { backlog.removeAll() }
    func wait() -> UInt64? { backlog.wait() }
}
