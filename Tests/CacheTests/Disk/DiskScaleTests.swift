import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A store of a hundred thousand entries. Most of them are in the index file alone: that is enough to count them, and
/// to choose who goes.
@Suite(.timeLimit(.minutes(1))) struct DiskScaleTests {
    private let cache: DiskFixture
    private static let count = 100_000
    private static let block = 4096

    init() throws { cache = try DiskFixture(isInMemory: true) }

    private static func name(_ number: Int) -> EntryName {
        EntryName(source: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, key: UInt64(number))
    }

    private func makeStore() -> DiskStore { cache.makeStore(byteLimit: (Self.count + 10) * Self.block) }

    /// Writes what another process would.
    private func append(_ records: [IndexRecord]) throws {
        let file = try #require(fopen(cache.index, "a"))
        let bytes = IndexLog.bytes(of: records)
        #expect(bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } == bytes.count)
        #expect(fclose(file) == 0)
    }

    @Test func hundredThousandEntries_areWrittenAgain_opened_andTrimmed() async throws {
        let first = makeStore()
        await cache.store(cache.key, in: first)
        await first.settle()
        try append(
            (1..<Self.count).map { number in
                .entry(Self.name(number), IndexedEntry(units: 8, lastUse: 1_000_000_000 + UInt32(number)))
            } + (1...10).map { .used(Self.name($0), at: 1_200_000_000) })
        // The journal is longer than its snapshot: whoever has something to say writes a new one, once.
        let before = await first.orders.last
        for _ in 0..<20 { await first.tell(uses: []) }
        await first.ordersEnd()
        #expect(await first.orders.last == before + 21)
        #expect(await first.statistics.entryCount == Self.count)
        let index = try Data(contentsOf: URL(fileURLWithPath: cache.index))
        #expect(index.count == IndexLog.headerLength + Self.count * 35)

        let gate = ThreadGate()
        cache.files.hold(.pread, on: "/index", at: gate)
        let disk = makeStore()
        // Before the index is there, the files answer.
        #expect(await disk.body(for: cache.key) == cache.body)
        #expect(await disk.body(for: StoredKey("http://h/absent")) == nil)
        await gate.arrivals(1)
        gate.open()
        var statistics = await disk.statistics
        #expect(statistics.entryCount == Self.count)
        #expect(statistics.byteCount == Self.count * Self.block)

        // What was used since goes last.
        #expect(await disk.body(for: cache.key) == cache.body)
        let removed = await disk.trim(toBytes: (Self.count - 1_000) * Self.block)
        #expect(removed.map(\.digest) == (11...1_010).map { Self.name($0).text })
        await disk.flush()
        statistics = await disk.statistics
        #expect(statistics.entryCount == Self.count - 1_000)
        #expect(statistics.byteCount == (Self.count - 1_000) * Self.block)

        let fresh = makeStore()
        #expect(await fresh.statistics.entryCount == Self.count - 1_000)
        #expect(
            await fresh.trim(toBytes: (Self.count - 1_001) * Self.block).map(\.digest) == [Self.name(1_011).text])
        #expect(await fresh.body(for: cache.key) == cache.body)
        #expect(cache.files.count(of: .opendir, on: "/entries") == 1, "only the first one reads the directory")
        #expect(cache.failures.values.isEmpty)
    }
}
