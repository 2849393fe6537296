import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A store reads its index file when something needs it, and a look-up doesn't.
@Suite(.timeLimit(.minutes(1))) struct DiskLazyIndexTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private func makeStore(_ clock: ManualClock) -> DiskStore {
        DiskStore(valid: .bare(cache.path, byteLimit: 3 * 4096), calls: files, time: TimeSource(clock))
    }

    private var indexReads: Int { files.count(of: .pread, on: "/index") }

    @Test func lookUp_findsEntry_withoutIndex() async {
        await store(key, in: makeStore())
        let before = indexReads
        let disk = makeStore()
        for _ in 0..<3 { #expect(await disk.body(for: key) == body) }
        #expect(indexReads == before)
        #expect(await disk.statistics.entryCount == 1)
        #expect(indexReads > before)
    }

    @Test func missedLookUp_readsIndex_forTheNextOnes() async {
        await store(key, in: makeStore())
        let disk = makeStore()
        #expect(await disk.body(for: key(1)) == nil)
        _ = await disk.statistics
        let opens = files.count(of: .open, on: "/entries/")
        #expect(await disk.body(for: key(1)) == nil)
        #expect(files.count(of: .open, on: "/entries/") == opens)
    }

    @Test func useBeforeIndexIsRead_counts_afterASecond() async throws {
        let first = makeStore()
        for number in 0..<3 { await store(key(number), in: first) }
        let clock = ManualClock()
        let disk = makeStore(clock)
        #expect(await disk.body(for: key(0)) == body)
        try await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        // Once the index has been read, the use is recorded another second later.
        try await clock.sleepers(atLeast: 1)
        let writes = ThreadGate()
        files.hold(.writev, on: "/index", at: writes, after: true)
        clock.advance(by: .seconds(1))
        await writes.arrivals(1)
        writes.open()
        await store(key(3), in: makeStore(ManualClock()))
        let left = try cache.entryNames()
        #expect(Set(left) == Set([0, 2, 3].map { key($0).name.text }))
    }
}
