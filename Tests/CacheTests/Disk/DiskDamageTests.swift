import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Bits that flip anywhere in a store's files: what is found afterwards is right, or it is missed; and the store goes
/// on.
@Suite(.timeLimit(.minutes(3))) struct DiskDamageTests {
    /// What a store has left behind: three entries, and an index file of snapshot and journal.
    private struct Original: Sendable {
        var files = DirectoryCopy()
        var metadata: [Set<EntryMetadata>] = []
        /// Where the first tail of the entry that has two begins, and the second.
        var tails: [Int] = []

        static let bodies = [Data("a body of some length".utf8), Data((0..<150).map { UInt8($0) }), Data()]

        func name(_ number: Int) -> String { "entries/" + DiskDamageTests.key(number).name.text }
    }

    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory(isInMemory: true) }

    private static func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private static func original() async throws -> Original {
        let cache = try DiskFixture()
        var original = Original()
        original.metadata = (0..<3).map { number in
            var metadata = EntryMetadata(source: key(number).source)
            metadata.tags = ["t\(number)"]
            return [metadata]
        }
        let first = cache.makeStore()
        for (number, body) in Original.bodies.enumerated() {
            let expires: Int64? = number == 2 ? 1 << 31 : nil
            for metadata in original.metadata[number] {
                await first.store(body, metadata, for: key(number), expires: expires, begun: first.ticket())
            }
        }
        await first.settle()
        let length = try Data(contentsOf: URL(fileURLWithPath: cache.file(key(1)))).count
        original.tails = [Original.bodies[1].count, length]
        // The next one begins its index file with a snapshot of three.
        try cache.removeIndex()
        let second = cache.makeStore()
        await second.settle()
        await second.readUnread()
        await cache.store(key(3), in: second)
        await second.remove(key(3))
        var newer = EntryMetadata(source: key(1).source)
        newer.tags = ["t1", "newer"]
        original.metadata[1].insert(newer)
        await second.update(newer, for: key(1))
        _ = await second.entry(for: key(0))
        await second.settle()
        #expect(cache.failures.values.isEmpty)
        original.files = try DirectoryCopy(of: cache.path)
        return original
    }

    /// One bit of each of so many bytes, another one of each, two tasks at a time.
    private func forEachByte(
        _ count: Int, _ body: @escaping @Sendable (_ place: Int, _ bit: UInt8) async throws -> Void
    ) async throws {
        #expect(count > 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<2 {
                group.addTask {
                    for place in stride(from: worker, to: count, by: 2) { try await body(place, 1 << (place * 3 % 8)) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func open(_ path: String, _ failures: Recorder<CacheFailure>) -> DiskStore {
        DiskStore(directory: path, byteLimit: 1 << 20) { failures.record($0) }
    }

    // MARK: Entries

    @Test(arguments: 0..<3) func flippedBitInEntry_isMissOrCorrectBytes(number: Int) async throws {
        let original = try await Self.original()
        let name = original.name(number)
        try await forEachByte(original.files[name].count) { [temporary] place, bit in
            let path = temporary.file("\(number)-\(place)")
            try original.files.write(to: path) { $0[name]?[place] ^= bit }
            let failures = Recorder<CacheFailure>()
            let disk = Self.open(path, failures)
            let found = await disk.entry(for: Self.key(number))
            // In the first of two tails nothing is that counts, and without the second the first one does.
            let isFound = number == 1 && place >= original.tails[0]
            must((found != nil) == isFound, "byte \(place)")
            if let found {
                let isNewer = place < original.tails[1]
                must(found.body == Original.bodies[number], "byte \(place)")
                must(found.metadata.decoded.map { original.metadata[number].contains($0) } == true, "byte \(place)")
                must(found.metadata.tags.contains("newer") == isNewer, "byte \(place)")
            }
            await disk.flush()
            must(failures.values.map(\.operation) == (isFound ? [] : [.read]), "byte \(place): \(failures.values)")
            must(await disk.statistics.entryCount == (isFound ? 3 : 2), "byte \(place)")
            let body = Data("stored anew".utf8)
            await disk.store(body, for: Self.key(number), begun: disk.ticket())
            await disk.flush()
            let fresh = Self.open(path, failures)
            for other in 0..<3 {
                let wanted = other == number ? body : Original.bodies[other]
                must(await fresh.body(for: Self.key(other)) == wanted, "byte \(place), entry \(other)")
            }
            await fresh.flush()
            must(failures.values.count == (isFound ? 0 : 1), "byte \(place): \(failures.values)")
        }
    }

    // MARK: The index file

    @Test func indexFile_hasRecordsOfEachKind_inSnapshotAndJournal() async throws {
        let index = try await Self.original().files["index"]
        var records: [IndexRecord] = []
        #expect(IndexLog.read(index.dropFirst(IndexLog.headerLength)) { records.append($0) } > 0)
        let kinds = records.map { record in
            switch record {
            case .entry: "entry"
            case .removed: "removed"
            case .used: "used"
            }
        }
        #expect(kinds.prefix(3) == ["entry", "entry", "entry"])
        #expect(Set(kinds.dropFirst(3)) == ["entry", "removed", "used"])
    }

    @Test func flippedBitInIndex_losesNoEntry() async throws {
        let original = try await Self.original()
        try await forEachByte(original.files["index"].count) { [temporary] place, bit in
            let path = temporary.file("index-\(place)")
            try original.files.write(to: path) { $0["index"]?[place] ^= bit }
            let failures = Recorder<CacheFailure>()
            let disk = Self.open(path, failures)
            await Self.expectAll(in: disk, place)
            must(await disk.remove(.tag("t2")).count == 1, "byte \(place)")
            await disk.store(Original.bodies[2], for: Self.key(2), begun: disk.ticket())
            await disk.flush()
            let index = try Data(contentsOf: URL(fileURLWithPath: path + "/index"))
            let whole = IndexLog.read(index.dropFirst(IndexLog.headerLength)) { _ in }
            must(IndexLog.run(of: index) != nil, "byte \(place): the header is not mended")
            must(whole == index.count - IndexLog.headerLength, "byte \(place): a record is not mended")
            await Self.expectAll(in: Self.open(path, failures), place)
            must(failures.values.isEmpty, "byte \(place): \(failures.values)")
        }
    }

    private static func expectAll(in disk: DiskStore, _ place: Int) async {
        for (number, body) in Original.bodies.enumerated() {
            must(await disk.body(for: key(number)) == body, "byte \(place), entry \(number)")
        }
        must(await disk.body(for: key(3)) == nil, "byte \(place): what was removed is there")
        let statistics = await disk.statistics
        must(statistics.entryCount == 3 && statistics.byteCount == 3 * 4096, "byte \(place): \(statistics)")
    }

    @Test func flippedBitInExternalRecords_losesNoEntry() async throws {
        let original = try await Self.original()
        try await forEachByte(35) { [temporary] place, bit in
            let path = temporary.file("other-\(place)")
            try original.files.write(to: path)
            let failures = Recorder<CacheFailure>()
            let (disk, other) = (Self.open(path, failures), Self.open(path, failures))
            for store in [disk, other] {
                await Self.expectAll(in: store, place)
                await store.flush()
            }
            let start = try Data(contentsOf: URL(fileURLWithPath: path + "/index")).count
            let body = Data("of another".utf8)
            await other.store(body, for: Self.key(4), begun: other.ticket())
            await other.flush()
            let index = try Data(contentsOf: URL(fileURLWithPath: path + "/index"))
            must(index.count == start + 35, "one record was added, not \(index.count - start) bytes")
            let file = try #require(fopen(path + "/index", "r+"))
            fseek(file, start + place, SEEK_SET)
            fputc(Int32(index[start + place] ^ bit), file)
            fclose(file)
            await disk.caughtUp()
            must(await disk.body(for: Self.key(4)) == body, "byte \(place)")
            must(await disk.statistics.entryCount == 4, "byte \(place)")
            await other.store(body, for: Self.key(5), begun: other.ticket())
            await other.flush()
            for store in [disk, other, Self.open(path, failures)] {
                await store.caughtUp()
                must(await store.statistics.entryCount == 5, "byte \(place)")
                must(await store.body(for: Self.key(5)) == body, "byte \(place)")
            }
            must(failures.values.isEmpty, "byte \(place): \(failures.values)")
        }
    }
}
