import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What exceeds a limit that was lowered goes in slices, and what is stored meanwhile comes in between.
@Suite(.timeLimit(.minutes(1))) struct DiskShrinkingTests: DiskSuite {
    let cache: DiskFixture
    private static let block = 4096
    private static let count = 300

    init() throws { cache = try DiskFixture(isInMemory: true) }

    private func makeStore(blocks: Int, onEvent: @escaping @Sendable (DiskStore.Event) -> Void = { _ in }) -> DiskStore
    {
        DiskStore(directory: cache.path, byteLimit: blocks * Self.block, files: files) { [failures] event in
            failures.record(event)
            onEvent(event)
        }
    }

    private func fill(_ disk: DiskStore) async {
        for number in 0..<Self.count { await disk.store(body, for: key(number), begun: disk.ticket()) }
        await disk.flush()
    }

    /// The numbers of files removed before and after an entry got its name.
    private func removals(around key: StoredKey) throws -> (before: Int, after: Int) {
        let calls = files.calls.filter { $0.path.contains("/entries/") && [.unlink, .rename].contains($0.call) }
        let place = try #require(calls.lastIndex { $0.call == .rename && $0.path == cache.file(key) })
        return (calls[..<place].count { $0.call == .unlink }, calls[place...].count { $0.call == .unlink })
    }

    @Test func store_waitsForOneSlice_ofALoweredLimit() async throws {
        let sizes = Recorder<Int>()
        let disk = makeStore(blocks: 2 * Self.count) { event in
            if case .evicted(let entries) = event { sizes.record(entries.count) }
        }
        await fill(disk)
        let gate = ThreadGate()
        files.hold(.unlink, on: "/entries/", at: gate)
        let change = Task { try await disk.setLimits(maximumBytes: 10 * Self.block, maximumEntryCount: nil) }
        await gate.arrivals(1)
        let new = StoredKey("http://h/new")
        await disk.store(body, for: new, begun: disk.ticket())
        // It has made room for itself only.
        #expect(await disk.index.totalBytes == (Self.count - 64) * Self.block)
        gate.open()
        try await change.value
        #expect(await disk.statistics.byteCount <= 10 * Self.block)
        #expect(try cache.entryNames().count == 10)
        #expect(await disk.body(for: new) == body)
        let removals = try removals(around: new)
        #expect(removals.before <= 65 && removals.before + removals.after == Self.count - 9)
        #expect(sizes.values.allSatisfy { $0 <= 64 } && sizes.values.reduce(0, +) == Self.count - 9)
        #expect(failures.values.isEmpty)
    }

    @Test func store_waitsForOneSlice_ofADirectoryAboveTheLimit() async throws {
        await fill(makeStore(blocks: 2 * Self.count))
        let disk = makeStore(blocks: 10)
        await disk.store(body, for: key, begun: disk.ticket())
        await disk.flush()
        #expect(try cache.entryNames().count == 10)
        let removals = try removals(around: key)
        #expect(removals.before <= 2 * 64 && removals.before + removals.after == Self.count - 9)
        #expect(await disk.body(for: key) == body)
    }

    @Test func store_waitsForOneSlice_ofATrim() async throws {
        let disk = makeStore(blocks: 2 * Self.count)
        await fill(disk)
        let gate = ThreadGate()
        files.hold(.unlink, on: "/entries/", at: gate)
        let trim = Task { await disk.trim(toBytes: 10 * Self.block) }
        await gate.arrivals(1)
        await disk.store(body, for: key, begun: disk.ticket())
        gate.open()
        #expect(await trim.value.count == Self.count - 9)
        await disk.flush()
        #expect(try removals(around: key).before <= 256)
        #expect(try cache.entryNames().count == 10)
    }

    /// Files that can't be removed are tried once, and counted.
    @Test func unremovableFiles_areTriedOnce() async throws {
        let disk = makeStore(blocks: 2 * Self.count)
        await fill(disk)
        files.fail(.unlink, on: "/entries/", with: EACCES)
        try await disk.setLimits(maximumBytes: 10 * Self.block, maximumEntryCount: nil)
        #expect(failures.values.count == Self.count && failures.values.allSatisfy { $0.operation == .remove })
        #expect(await disk.statistics.byteCount == Self.count * Self.block)
        _ = await disk.trim(toBytes: 0)
        #expect(failures.values.count == 2 * Self.count)
        files.heal()
        try await disk.setLimits(maximumBytes: 5 * Self.block, maximumEntryCount: nil)
        #expect(try cache.entryNames().count == 5)
    }
}
