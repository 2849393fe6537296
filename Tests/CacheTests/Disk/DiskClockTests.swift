import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// How long an entry is found when the clock jumps, and before the index is there.
@Suite(.timeLimit(.minutes(1))) struct DiskClockTests {
    /// The time of day, as a test wants it. It begins after the times that the files have.
    private final class Seconds: Sendable {
        let value = Atomic<Int64>(2_200_000_000)
        func pass(_ seconds: Int64) { value.add(seconds, ordering: .relaxed) }
    }

    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let seconds = Seconds()
    private let body = Data("some bytes".utf8)
    private let year: Int64 = 31_536_000

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore() -> DiskStore {
        var settings = DiskStore.Settings.bare(temporary.file("cache"), byteLimit: 1 << 20)
        settings.timeToLive = .seconds(100)
        let time = TimeSource(ManualClock()) { [seconds] in seconds.value.load(ordering: .relaxed) }
        return DiskStore(valid: settings, calls: files, time: time) { [failures] in failures.record($0) }
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private func store(_ number: Int, in store: DiskStore) async {
        await store.store(body, for: key(number), begun: store.ticket())
        await store.flush()
    }

    // MARK: A clock that was ahead

    @Test func reopening_doesNotProlongExpiry_afterClockWasAhead() async {
        seconds.pass(year)
        let first = makeStore()
        await store(0, in: first)
        await first.settle()
        seconds.pass(-year)
        for isThere in [true, true, false] {
            let disk = makeStore()
            #expect(await disk.contains(key(0)) == isThere)
            await disk.settle()
            seconds.pass(51)
        }
        #expect(failures.values.isEmpty)
    }

    @Test func clockSetBack_isRemembered_byNextStore() async {
        seconds.pass(year)
        let first = makeStore()
        await store(0, in: first)
        seconds.pass(-year)
        await store(1, in: first)
        await first.settle()
        seconds.pass(60)
        _ = await first.body(for: key(1))
        await first.settle()
        seconds.pass(60)
        let disk = makeStore()
        #expect(await !disk.contains(key(0)))
        #expect(await disk.contains(key(1)))
    }

    @Test func index_isWrittenOnce_afterClockCorrection() async throws {
        seconds.pass(year)
        await store(0, in: makeStore())
        seconds.pass(-year)
        await makeStore().settle()
        let before = files.calls.count { $0.call == .rename && $0.path.hasSuffix("/index") }
        await makeStore().settle()
        #expect(files.calls.count { $0.call == .rename && $0.path.hasSuffix("/index") } == before)
    }

    // MARK: Before the index is there

    /// Entry 0, used 60 seconds ago, and 1, used 120 seconds ago; the files' own times are older than that.
    private func prepare() async {
        let first = makeStore()
        for number in 0..<2 { await store(number, in: first) }
        seconds.pass(60)
        _ = await first.body(for: key(0))
        await first.settle()
        seconds.pass(60)
    }

    /// Look-ups of files that may have expired, while the reading of the index is held up.
    private func beginLookUps(
        _ numbers: [Int], in disk: DiskStore
    ) async -> (opening: ThreadGate, tasks: [Task<Data?, Never>]) {
        let (opening, reading) = (ThreadGate(), ThreadGate())
        files.hold(.flock, on: "/lock", at: opening)
        files.hold(.open, on: "/entries/", at: reading)
        let tasks = numbers.map { number in Task { [key = key(number)] in await disk.body(for: key) } }
        await reading.arrivals(numbers.count)
        reading.open()
        await opening.arrivals(1)
        return (opening, tasks)
    }

    @Test func possiblyExpiredEntry_waitsForIndex() async {
        await prepare()
        let (opening, tasks) = await beginLookUps([0, 1], in: makeStore())
        opening.open()
        #expect(await tasks[0].value == body)
        #expect(await tasks[1].value == nil)
        #expect(failures.values.isEmpty)
    }

    @Test func cancelledCaller_doesNotWaitForIndex() async {
        await prepare()
        let (opening, tasks) = await beginLookUps([0], in: makeStore())
        tasks[0].cancel()
        #expect(await tasks[0].value == nil)
        opening.open()
    }

    @Test func fileTime_decides_withoutIndex() async throws {
        await prepare()
        files.fail(.flock, on: "/lock", with: EIO)
        let disk = makeStore()
        #expect(await disk.body(for: key(0)) == nil)
        #expect(await disk.entry(for: key(0), readsBody: false) == nil)
        let recent = Date(timeIntervalSince1970: TimeInterval(seconds.value.load(ordering: .relaxed) - 50))
        try FileManager.default.setAttributes(
            [.modificationDate: recent], ofItemAtPath: temporary.file("cache/entries/" + key(1).name.text))
        #expect(await disk.body(for: key(1)) == body)
        #expect(await disk.entry(for: key(1), readsBody: false)?.body.isEmpty == true)
        await disk.flush()
    }
}
