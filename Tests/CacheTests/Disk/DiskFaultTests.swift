import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Every system call of the store fails once: nothing wrong is served, and the store goes on.
@Suite(.timeLimit(.minutes(2))) struct DiskFaultTests {
    typealias Call = SystemCall

    /// What goes wrong with one call.
    enum Fault: Sendable, Equatable {
        case error(Int32)
        /// A write takes in half of its bytes.
        case half

        /// Whether nothing may be lost, as the call is only to be made again.
        var isHarmless: Bool { self == .error(EINTR) || self == .half }
    }

    private static let block = 4096
    private static let limit = 6 * block

    /// The `errno` for a call; nil where it can't come.
    private static func code(_ wanted: Int32, _ call: Call, _ path: String) -> Int32? {
        let fitting: Set<Call>
        switch wanted {
        case EINTR:
            fitting = [
                .open, .fstat, .read, .pread, .writev, .ftruncate, .flock, .statvfs, .synchronize, .openWarm, .readWarm,
            ]
        case ENOSPC: fitting = [.open, .writev, .mkdir, .rename]
        case EMFILE: fitting = [.open, .opendir, .openWarmDirectory, .openWarm]
        case EACCES: fitting = [.open, .opendir, .mkdir, .rename, .link, .unlink, .rmdir]
        case ENOENT:
            // Of a directory; a file that is not there is no failure.
            if path.contains("/entries/"), call != .rename { return nil }
            fitting = [.open, .opendir, .rename, .link, .mkdir]
        default: return wanted
        }
        return fitting.contains(call) ? wanted : nil
    }

    /// How the store under test works, so that each system call of its is made.
    enum Manner: CaseIterable {
        case onFlush
        /// The end of the index file is missing: the directory itself has to be read.
        case withDamagedIndex
        /// Each write is waited for, and some space has to stay free.
        case alwaysAboveAFloor
    }

    /// One run of the scenario.
    private final class Run: Sendable {
        let temporary: TemporaryDirectory
        let calls = FaultySystemCalls()
        let failures = Recorder<CacheFailure>()
        /// What was trimmed, or had to make room.
        let removed = Recorder<RemovedEntry>()
        let manner: Manner

        init(_ manner: Manner, _ directory: DirectoryCopy) throws {
            self.manner = manner
            if manner == .alwaysAboveAFloor { calls.keep(.warm) }
            temporary = try TemporaryDirectory(isInMemory: true)
            try directory.write(to: temporary.file("cache")) {
                if manner == .withDamagedIndex { $0["index"]?.removeLast(5) }
            }
        }

        func makeStore() -> DiskStore {
            var settings = DiskStore.Settings.bare(temporary.file("cache"), byteLimit: DiskFaultTests.limit)
            settings.synchronization = manner == .alwaysAboveAFloor ? .always : .onFlush
            settings.minimumFreeBytes = manner == .alwaysAboveAFloor ? DiskFaultTests.block : 0
            return DiskStore(
                valid: settings, calls: calls, time: TimeSource(ManualClock()),
                onEvent: { [failures, removed, calls] event in
                    failures.record(event)
                    guard case .evicted(let entries) = event else { return }
                    for entry in entries { removed.record(entry) }
                    // Now there is room.
                    calls.pretend(freeBytes: nil)
                })
        }

        /// The sum of what the files in entries/ take.
        func allocated() throws -> Int {
            let files = FileSystem()
            let path = temporary.file("cache/entries")
            return try files.names(path).reduce(0) { try $0 + files.status(path + "/" + $1).allocated }
        }
    }

    private static func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private static func body(_ number: Int, _ version: Int = 1) -> Data {
        Data("body \(number) in version \(version)".utf8)
    }

    /// What a key may answer with at some moment: anything that was stored under it, and nothing else.
    private static func check(_ store: DiskStore, _ number: Int, mayBe versions: [Int]) async {
        guard let found = await store.body(for: key(number)) else { return }
        #expect(versions.contains { found == body(number, $0) }, "\(number): \(String(decoding: found, as: UTF8.self))")
    }

    private static func store(_ number: Int, _ version: Int = 1, in store: DiskStore) async {
        await store.store(body(number, version), for: key(number), begun: store.ticket())
    }

    /// A directory with four entries, whose index is as an earlier process left it.
    private static func directory() async throws -> DirectoryCopy {
        let temporary = try TemporaryDirectory()
        let first = DiskStore(directory: temporary.file("cache"), byteLimit: limit)
        for number in 0..<4 { await store(number, in: first) }
        await first.settle()
        return try DirectoryCopy(of: temporary.file("cache"))
    }

    private static func secretKey(in disk: DiskStore) async -> StoredKey? {
        await disk.key("http://h/secret", secret: "secret")
    }

    /// All that a store does.
    private static func scenario(_ run: Run) async -> DiskStore {
        let disk = run.makeStore()
        await check(disk, 0, mayBe: [1])
        await check(disk, 9, mayBe: [])
        for number in 4...6 { await store(number, in: disk) }
        await store(4, 2, in: disk)
        await disk.flush()
        await check(disk, 4, mayBe: [2])
        var metadata = EntryMetadata(source: key(5).source)
        metadata.tags = ["new"]
        await disk.update(metadata, for: key(5))
        await disk.settle()
        _ = await secretKey(in: disk)
        await disk.remove(key(6))
        #expect(await disk.body(for: key(6)) == nil)
        await disk.settle()
        #expect(await disk.body(for: key(6)) == nil)
        await disk.removeAll()
        for number in 0...6 { #expect(await disk.body(for: key(number)) == nil) }
        await disk.settle()
        for number in 0...6 { #expect(await disk.body(for: key(number)) == nil) }
        for number in 10...13 { await store(number, in: disk) }
        await disk.flush()
        for entry in await disk.trim(toBytes: 3 * block) { run.removed.record(entry) }
        await disk.settle()
        for number in 0...6 { #expect(await disk.body(for: key(number)) == nil) }
        for number in 10...13 { await check(disk, number, mayBe: [1]) }
        if run.manner == .alwaysAboveAFloor {
            run.calls.pretend(freeBytes: 0)
            await store(14, in: disk)
            await disk.settle()
            await check(disk, 14, mayBe: [1])
        }
        return disk
    }

    /// The fault is gone: the store goes on, and one that is opened anew agrees with it.
    private static func aftermath(_ run: Run, _ disk: DiskStore, _ fault: Fault, _ place: String) async throws {
        await store(20, in: disk)
        await disk.settle()
        #expect(await disk.body(for: key(20)) == body(20), "\(place): \(run.failures.values)")
        #expect(try run.allocated() <= limit, "\(place)")
        let wasReported = !run.failures.values.isEmpty
        if fault.isHarmless { #expect(run.failures.values.isEmpty, "\(place): \(run.failures.values)") }
        // All of the last four but the one that the trimming took, and those that made room.
        let last = 10...13
        let removed = Set(run.removed.values.map(\.digest)).intersection(last.map { key($0).name.text }).count
        var kept = 0
        for number in last where await disk.body(for: key(number)) == body(number) { kept += 1 }
        let isAboveAFloor = run.manner == .alwaysAboveAFloor
        #expect(kept == 4 - removed || wasReported, "\(place): \(kept) are left, \(removed) were removed")
        #expect(removed >= (isAboveAFloor ? 2 : 1) || wasReported, "\(place)")
        if isAboveAFloor, !wasReported { #expect(await disk.body(for: key(14)) == body(14), "\(place)") }

        let fresh = run.makeStore()
        #expect(await secretKey(in: disk) != nil, "\(place)")
        #expect(await secretKey(in: disk) == secretKey(in: fresh), "\(place)")
        await fresh.settle()
        let before = run.failures.values.count
        for number in 0...6 { await check(fresh, number, mayBe: wasReported ? [1, 2] : []) }
        for number in 10...13 { await check(fresh, number, mayBe: [1]) }
        #expect(await fresh.body(for: key(20)) == body(20), "\(place)")
        let verified = await fresh.verify()
        #expect(verified.damaged.isEmpty, "\(place)")
        await fresh.settle()
        #expect(run.failures.values.count == before, "\(place): \(run.failures.values)")
        #expect(try run.allocated() <= limit, "\(place)")
    }

    private static let faults: [Fault] = [
        .error(EIO), .error(ENOSPC), .error(EMFILE), .error(EACCES), .error(ENOENT), .error(EINTR), .half,
    ]

    /// Whether a fault is tried at a place. EIO, which any call may report, is tried at all of them. Unless there is
    /// time for more, another fault is tried at every second place, and in the next manner at the places in between.
    private static func tries(_ fault: Fault, at place: Int, _ manner: Manner) -> Bool {
        if Fuzz.isLong || fault == .error(EIO) { return true }
        let turn = (faults.firstIndex(of: fault) ?? 0) + (Manner.allCases.firstIndex(of: manner) ?? 0)
        return (place + turn).isMultiple(of: 2)
    }

    @Test(arguments: faults, Manner.allCases)
    func eachCallFailsOnce(fault: Fault, manner: Manner) async throws {
        let directory = try await Self.directory()
        let counting = try Run(manner, directory)
        let disk = await Self.scenario(counting)
        let calls = counting.calls.calls
        try await Self.aftermath(counting, disk, .half, "no fault")
        #expect(calls.count > 100)
        // Threads take turns as they like: the call of a number is not always the same one.
        // Where the index is damaged, it is the opening that is another.
        let places = calls.indices.prefix(manner == .withDamagedIndex ? 70 : .max)
        for place in places where Self.tries(fault, at: place, manner) {
            switch fault {
            case .half: if calls[place].call != .writev { continue }
            case .error(let code): if Self.code(code, calls[place].call, calls[place].path) == nil { continue }
            }
            let run = try Run(manner, directory)
            switch fault {
            case .half: run.calls.writeHalf(at: place + 1)
            case .error(let code): run.calls.failOnce(at: place + 1) { Self.code(code, $0, $1) }
            }
            let disk = await Self.scenario(run)
            run.calls.heal()
            let failed = run.calls.calls.dropFirst(place).first
            try await Self.aftermath(run, disk, fault, "call \(place + 1), \(failed.map { "\($0)" } ?? "none")")
        }
    }

    /// What the runs above make fail is all there is.
    @Test func scenario_usesEachKindOfCall() async throws {
        var made: Set<Call> = []
        for manner in Manner.allCases {
            let run = try Run(manner, await Self.directory())
            _ = await Self.scenario(run)
            made.formUnion(run.calls.calls.map(\.call))
            if manner == .alwaysAboveAFloor {
                #expect(run.calls.count(of: .synchronize, on: "/temporary/") > 0)
                #expect(run.calls.count(of: .statvfs) > 2)
            }
        }
        // Only what is left of a failed write is cut off.
        #expect(made == Set(Call.allCases).subtracting([.ftruncate]))
    }
}
