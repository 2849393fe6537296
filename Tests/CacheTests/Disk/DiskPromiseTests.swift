import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Who may read a store's files, who goes first after a restart, and how much is kept when nobody says how much.
@Suite(.timeLimit(.minutes(1))) struct DiskPromiseTests {
    private let cache: DiskFixture
    private static let block = 4096

    init() throws { cache = try DiskFixture() }

    // MARK: Modes

    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(cache.temporary.file(name), &status) == 0, "\(name)")
        return status.st_mode & 0o7777
    }

    @Test func directoriesAndFiles_areForTheirOwnerOnly() async throws {
        let disk = cache.makeStore()
        await cache.store(cache.key, in: disk)
        // A new snapshot, and an entry whose metadata are another's.
        await disk.removeAll()
        // It deletes later on what it has taken away.
        await disk.maintenanceIsIdle()
        await cache.store(cache.key, in: disk)
        await disk.update(EntryMetadata(source: cache.key.source), for: cache.key)
        let gate = ThreadGate()
        cache.files.hold(.rename, on: "/entries/", at: gate)
        await disk.store(cache.body, for: cache.key(1), begun: disk.ticket())
        await gate.arrivals(1)
        let directories = ["cache", "cache/entries", "cache/temporary", "cache/discarded"]
        for name in directories { #expect(try mode(name) == 0o700, "\(name)") }
        let files = try FileManager.default.subpathsOfDirectory(atPath: cache.path).map { "cache/" + $0 }
            .filter { !directories.contains($0) }
        // Index, lock, an entry, and another on its way.
        #expect(files.count == 4)
        for name in files { #expect(try mode(name) == 0o600, "\(name)") }
        gate.open()
        await disk.flush()
        #expect(try mode("cache/entries/" + cache.key(1).name.text) == 0o600)
    }

    // MARK: Recency

    private func storeThree() async -> DiskStore {
        let disk = cache.makeStore(byteLimit: 3 * Self.block)
        for number in 0..<3 { await cache.store(cache.key(number), in: disk) }
        return disk
    }

    /// What is left of 0, 1 and 2 when a store that is opened anew has to make room for one more.
    private func leftBehind() async throws -> [String] {
        await cache.store(cache.key(3), in: cache.makeStore(byteLimit: 3 * Self.block))
        return try (0..<3).map { cache.key($0).name.text }.filter(cache.entryNames().contains)
    }

    @Test func entriesUsedBeforeRestart_areEvictedLast() async throws {
        let disk = await storeThree()
        #expect(await disk.body(for: cache.key(0)) == cache.body)
        #expect(await disk.body(for: cache.key(1)) == cache.body)
        await disk.flush()
        #expect(try await leftBehind() == [0, 1].map { cache.key($0).name.text })
    }

    @Test func uses_arePersisted_withinASecond() async throws {
        let clock = ManualClock()
        let disk = DiskStore(
            valid: .bare(cache.path, byteLimit: 3 * Self.block), calls: cache.files, time: TimeSource(clock))
        for number in 0..<3 { await cache.store(cache.key(number), in: disk) }
        #expect(await disk.body(for: cache.key(0)) == cache.body)
        try await clock.sleepers(atLeast: 1)
        let writes = ThreadGate()
        cache.files.hold(.writev, on: "/index", at: writes, after: true)
        clock.advance(by: .seconds(1))
        await writes.arrivals(1)
        writes.open()
        #expect(try await leftBehind() == [0, 2].map { cache.key($0).name.text })
    }

    // MARK: The default limit

    /// Of so many MiB free, so many.
    private static let tenths: [(free: Int, limit: Int)] = [
        (0, 64), (100, 64), (700, 70), (5_120, 512), (10_240, 1_024), (512_000, 1_024),
    ]

    @Test(arguments: tenths) func defaultLimit_isATenthOfFreeSpace(free: Int, limit: Int) async {
        cache.files.pretend(freeBytes: free << 20)
        let disk = DiskStore(
            valid: DiskStore.Settings.bare(cache.path), calls: cache.files, time: TimeSource(ManualClock()))
        #expect(await disk.statistics.maximumBytes == limit << 20)
    }

    @Test func defaultLimit_countsOwnEntriesAsFree() async throws {
        for name in ["/", "/entries/"] { #expect(mkdir(cache.path + name, 0o700) == 0) }
        // Of these, the length is counted.
        for number in 0..<4 {
            let file = open(cache.file(cache.key(number)), O_WRONLY | O_CREAT, 0o600)
            #expect(ftruncate(file, 200 << 20) == 0)
            close(file)
            let date = Date(timeIntervalSince1970: Double(1_000_000 + number))
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: cache.file(cache.key(number)))
        }
        cache.files.pretend(freeBytes: 1200 << 20)
        let disk = DiskStore(
            valid: DiskStore.Settings.bare(cache.path), calls: cache.files, time: TimeSource(ManualClock()))
        let statistics = await disk.statistics
        #expect(statistics.maximumBytes == 200 << 20)
        await disk.flush()
        #expect(try cache.entryNames() == [cache.key(3).name.text])
    }
}
