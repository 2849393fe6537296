import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Two stores on one directory: one does all its work within a single system call of the other, at each of them.
@Suite(.timeLimit(.minutes(5))) struct DiskInterleavingTests {
    /// What the second store does meanwhile.
    enum Work: String, CaseIterable {
        /// Stores an entry that the first store is about to evict.
        case victim
        /// Stores a larger body under a key of the first store.
        case larger
        /// Removes entries of both, and stores one of them again.
        case again
    }

    @Test(arguments: Work.allCases) func recordedEntries_includeAllFiles_atEachCall(work: Work) async throws {
        let calls = try await Interleaving(work, at: nil).run()
        #expect(calls.count > 20)
        for number in calls { _ = try await Interleaving(work, at: number).run() }
    }
}

/// One run of two stores.
private struct Interleaving {
    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_000_000)
    }

    private static let block = 4096
    private static let byteLimit = 6 * block

    private let temporary: TemporaryDirectory
    private let work: DiskInterleavingTests.Work
    /// The call of the first store, counted from when both are open, in which the second one works.
    private let number: Int?
    private let firstCalls = FaultySystemCalls()
    private let secondCalls = FaultySystemCalls()
    private let gate = ThreadGate()
    private let clock = Clock()
    private let failures = Recorder<CacheFailure>()

    init(_ work: DiskInterleavingTests.Work, at number: Int?) throws {
        temporary = try TemporaryDirectory(isInMemory: true)
        self.work = work
        self.number = number
    }

    private func makeStore(_ calls: FaultySystemCalls, byteLimit: Int = byteLimit) -> DiskStore {
        let time = TimeSource(ManualClock()) { [clock] in clock.seconds.load(ordering: .relaxed) }
        return DiskStore(
            valid: .bare(temporary.file("cache"), byteLimit: byteLimit), calls: calls, time: time,
            onEvent: { [failures] in failures.record($0) })
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    /// - Parameter blocks: The size of the file.
    private func store(_ number: Int, _ blocks: Int, in store: DiskStore) async {
        await store.store(Data(count: blocks * Self.block - 1000), for: key(number), begun: store.ticket())
    }

    /// Returns the numbers of the first store's calls in which it doesn't hold the directory's lock.
    func run() async throws -> [Int] {
        let (first, second) = (makeStore(firstCalls), makeStore(secondCalls))
        await store(0, 1, in: first)
        await first.flush()
        await second.settle()
        await first.settle()
        let unlocked = watch()
        await writeAll(in: first) { await doWork(in: second) }
        let calls = unlocked.values
        await check(first, second)
        return calls
    }

    /// Checks what is recorded before each call of either store. The second one works only while the first one waits.
    private func watch() -> Recorder<Int> {
        let unlocked = Recorder<Int>()
        let count = Atomic(0)
        let locksBefore = firstCalls.count(of: .flock, on: "/lock")
        for call in SystemCall.allCases where !call.isWarm {
            firstCalls.precede(call) { [self, firstCalls, gate] in
                checkRecords("before \(call)")
                let number = count.add(1, ordering: .sequentiallyConsistent).newValue
                // The call that releases the lock is in the log by now.
                let locks = firstCalls.count(of: .flock, on: "/lock") - locksBefore
                let isRelease = call == .flock && firstCalls.calls.last?.path.hasSuffix("/lock") == true
                if locks % 2 == 0, !isRelease { unlocked.record(number) }
                if number == self.number { gate.enter() }
            }
            secondCalls.precede(call) { [self] in checkRecords("before \(call) of the other store") }
        }
        return unlocked
    }

    /// Several bodies written by one order, each of which evicts what is there; new metadata; and a new snapshot.
    private func writeAll(in first: DiskStore, meanwhile: () async -> Void) async {
        let busy = ThreadGate()
        await first.writer.submit { busy.enter() }
        await store(1, 5, in: first)
        await store(2, 3, in: first)
        await store(1, 2, in: first)
        await store(3, 4, in: first)
        busy.open()
        async let end: Void = finish(first)
        if number != nil {
            await gate.arrivals(1)
            await meanwhile()
            gate.open()
        }
        await end
    }

    private func finish(_ first: DiskStore) async {
        await first.flush()
        var metadata = EntryMetadata(source: key(3).source)
        metadata.tags = ["new"]
        await first.update(metadata, for: key(3))
        await first.flush()
        // The times of all entries are corrected.
        clock.seconds.subtract(60, ordering: .relaxed)
        _ = await first.body(for: key(3))
        await first.flush()
    }

    private func doWork(in second: DiskStore) async {
        switch work {
        case .victim:
            await store(0, 1, in: second)
        case .larger:
            await store(3, 5, in: second)
        case .again:
            await second.remove(key(0))
            await second.remove(key(1))
            await store(0, 2, in: second)
        }
        await second.flush()
    }

    private func check(_ first: DiskStore, _ second: DiskStore) async {
        await first.caughtUp()
        let counted = await first.statistics.byteCount
        #expect(counted >= files().values.reduce(0, +), "the first store counts \(counted); \(context)")
        checkRecords("at the end")
        await second.caughtUp()
        let other = await second.statistics.byteCount
        #expect(other >= files().values.reduce(0, +), "the second store counts \(other); \(context)")
        let third = makeStore(FaultySystemCalls(), byteLimit: 1 << 30)
        #expect(await third.statistics.byteCount >= files().values.reduce(0, +), "a new store; \(context)")
        #expect(failures.values.isEmpty, "\(context)")
    }

    private var context: String { "\(work) at call \(number ?? 0)" }

    // MARK: The directory

    /// The sizes of the entries' files.
    private func files() -> [String: Int] {
        var sizes: [String: Int] = [:]
        guard let directory = opendir(temporary.file("cache/entries")) else { return [:] }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard !name.hasPrefix("."), stat(temporary.file("cache/entries/" + name), &status) == 0 else { continue }
            sizes[name] = Int(status.st_blocks) * 512
        }
        return sizes
    }

    /// If both processes were killed now, the next one would count each file with its size at least, by the index file
    /// alone, unless that says that it is incomplete.
    private func checkRecords(_ moment: String) {
        guard let file = fopen(temporary.file("cache/index"), "r") else { return }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let index = Data(bytes.prefix(fread(&bytes, 1, bytes.count, file)))
        guard IndexLog.run(of: index) != nil else { return }
        var recorded: [String: Int] = [:]
        let records = index.dropFirst(IndexLog.headerLength)
        let whole = IndexLog.read(Data(records)) { record in
            switch record {
            case .entry(let name, let entry): recorded[name.text] = Int(entry.units) * DiskEntries.unit
            case .removed(let name): recorded[name.text] = nil
            case .used: break
            }
        }
        guard whole == records.count else { return }
        for (name, bytes) in files() {
            let counted = recorded[name] ?? 0
            must(counted >= bytes, "\(counted) of \(bytes) bytes are recorded \(moment), \(context)")
        }
    }
}
