import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What is waited for until the device has it, and what comes of it when that fails.
@Suite(.timeLimit(.minutes(1))) struct DiskSynchronizationTests {
    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let body = Data("some bytes".utf8)

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(
        _ policy: DiskSynchronization, _ name: String = "cache", byteLimit: Int = 1 << 20
    ) -> DiskStore {
        var settings = DiskStore.Settings.bare(temporary.file(name), byteLimit: byteLimit)
        settings.synchronization = policy
        return DiskStore(valid: settings, calls: files, time: TimeSource(ManualClock())) { [failures] in
            failures.record($0)
        }
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private func store(_ number: Int, in store: DiskStore) async {
        await store.store(body, for: key(number), begun: store.ticket())
    }

    /// What was waited for since a number of calls, below the temporary directory.
    private func synchronized(since count: Int = 0) -> [String] {
        files.calls.dropFirst(count).filter { $0.call == .synchronize }.map {
            String($0.path.dropFirst(temporary.path.count))
        }
    }

    // MARK: Directories

    @Test(arguments: [DiskSynchronization.onFlush, .always])
    func namesOfNewDirectories_areSynchronized(policy: DiskSynchronization) async {
        let disk = makeStore(policy, "a/b/cache")
        await store(0, in: disk)
        await disk.flush()
        let paths = Set(synchronized())
        for path in ["", "/a", "/a/b", "/a/b/cache", "/a/b/cache/entries"] { #expect(paths.contains(path), "\(path)") }
        #expect(failures.values.isEmpty)
    }

    @Test func never_doesNotSynchronizeDirectories() async {
        let disk = makeStore(.never, "a/b/cache")
        await store(0, in: disk)
        await disk.removeAll()
        await disk.flush()
        #expect(synchronized().isEmpty)
    }

    @Test(arguments: [DiskSynchronization.onFlush, .always])
    func newEntriesDirectory_isSynchronized_afterClearing(policy: DiskSynchronization) async {
        let disk = makeStore(policy)
        await store(0, in: disk)
        await disk.flush()
        let before = files.calls.count
        await disk.removeAll()
        await store(1, in: disk)
        await disk.flush()
        #expect(synchronized(since: before).contains("/cache"))
    }

    @Test(arguments: [DiskSynchronization.onFlush, .always])
    func failedDirectorySynchronization_isRetried(policy: DiskSynchronization) async {
        files.fail(.synchronize, on: temporary.path, with: EIO)
        let disk = makeStore(policy)
        await disk.settle()
        #expect(failures.values.allSatisfy { $0.reason.contains("fsync") } && !failures.values.isEmpty)
        files.heal()
        let before = files.calls.count
        await store(0, in: disk)
        await disk.flush()
        #expect(Set(synchronized(since: before)).isSuperset(of: ["", "/cache", "/cache/entries"]))
        #expect(await disk.body(for: key(0)) == body)
        // Once is enough.
        let last = files.calls.count
        await disk.flush()
        #expect(synchronized(since: last).isEmpty)
    }

    // MARK: Entries

    @Test func failedFileSynchronization_isRetried_byNextFlush() async {
        let disk = makeStore(.onFlush)
        await disk.settle()
        let names = (0..<3).map { "/cache/entries/" + key($0).name.text }
        for name in names[..<2] { files.fail(.synchronize, on: name, with: EIO) }
        for number in 0..<3 { await store(number, in: disk) }
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write], "once for a flush")
        #expect(synchronized().contains(names[2]))
        files.heal()
        let before = files.calls.count
        await disk.flush()
        #expect(synchronized(since: before).sorted() == (["/cache/entries"] + names[..<2]).sorted())
        let last = files.calls.count
        await disk.flush()
        #expect(synchronized(since: last).isEmpty)
    }

    @Test func failedEntriesDirectorySynchronization_isRetried() async {
        let disk = makeStore(.onFlush)
        await disk.settle()
        await store(0, in: disk)
        await disk.outcome(of: disk.orders.last)
        files.fail(.synchronize, on: "/cache/entries", with: EIO)
        await disk.flush()
        #expect(!failures.values.isEmpty)
        files.heal()
        let before = files.calls.count
        await disk.flush()
        #expect(synchronized(since: before).contains("/cache/entries"))
    }

    @Test func concurrentFlush_waitsForDevice() async {
        let disk = makeStore(.onFlush)
        await disk.settle()
        let (writing, gate) = (ThreadGate(), ThreadGate())
        files.hold(.writev, on: "/temporary/", at: writing)
        files.hold(.synchronize, at: gate)
        await store(0, in: disk)
        let ended = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    await disk.flush()
                    ended.record(number)
                }
            }
            // All of them wait for the write before one of them asks for the device.
            while !Task.isCancelled, await disk.orders.waiterCount < 8 { await Task.yield() }
            writing.open()
            await gate.arrivals(1)
            for _ in 0..<100 { _ = disk.ticket() }
            #expect(ended.values.isEmpty)
            gate.open()
        }
    }

    @Test func removedEntries_areNotRemembered_withoutFlush() async {
        let disk = makeStore(.onFlush, byteLimit: 4 * 4096)
        for number in 0..<4_000 {
            await store(number, in: disk)
            if number % 50 == 0 { await disk.outcome(of: disk.orders.last) }
        }
        await disk.outcome(of: disk.orders.last)
        #expect(await disk.unsynchronized.count <= 1_100)
        let before = files.calls.count
        await disk.flush()
        let paths = Set(synchronized(since: before))
        for number in 3_996..<4_000 { #expect(paths.contains("/cache/entries/" + key(number).name.text)) }
        #expect(failures.values.isEmpty)
    }
}
