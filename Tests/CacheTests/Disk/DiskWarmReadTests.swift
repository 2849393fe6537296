import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Entries in the system's memory are read without a thread; for all others, a thread reads them.
@Suite(.timeLimit(.minutes(1))) struct DiskWarmReadTests: DiskSuite {
    typealias Call = SystemCall

    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private func makeStore(_ clock: ManualClock) -> DiskStore {
        DiskStore(valid: .bare(cache.path, byteLimit: 1 << 20), calls: files, time: TimeSource(clock)) {
            [failures] in failures.record($0)
        }
    }

    /// A store with one entry, whose directory is open, as the first look-up leaves it.
    private func filledStore(
        _ warmth: FaultySystemCalls.Warmth = .warm, _ clock: ManualClock? = nil
    ) async -> DiskStore {
        files.keep(warmth)
        let disk = clock.map { makeStore($0) } ?? makeStore()
        await store(key, in: disk)
        #expect(await disk.body(for: key) == body)
        return disk
    }

    private var threadReads: Int { files.count(of: .read, on: "/entries/") }

    private func isClean(_ disk: DiskStore) async -> Bool {
        await disk.statistics.damaged == 0 && failures.values.isEmpty
    }

    // MARK: Which thread

    @Test func warmEntry_isRead_withoutThread() async {
        let disk = await filledStore()
        let before = files.calls.count
        for _ in 0..<20 { #expect(await disk.body(for: key) == body) }
        // The store's maintenance may begin meanwhile.
        let calls = files.calls.dropFirst(before).map(\.call).filter {
            [.openWarm, .fstatWarm, .readWarm, .closeWarm, .read].contains($0)
        }
        #expect(calls == Array(repeating: [.openWarm, .fstatWarm, .readWarm, .closeWarm], count: 20).flatMap(\.self))
    }

    @Test func firstLookUp_takesNoThread() async {
        let first = await filledStore()
        let before = files.calls.count
        let disk = makeStore()
        #expect(await disk.body(for: key) == body)
        // The first store's maintenance may begin meanwhile.
        #expect(
            files.calls.dropFirst(before).map(\.call).filter { $0.isWarm || $0 == .read } == [
                .openWarmDirectory, .fstatWarm, .openWarm, .fstatWarm, .readWarm, .closeWarm,
            ])
        withExtendedLifetime(first) {}
    }

    @Test func warmEntry_isRead_whileAllReadingThreadsWait() async {
        let disk = await filledStore()
        let others = (0..<16).map { key($0) }
        for other in others { await store(other, in: disk) }
        let gate = ThreadGate()
        files.hold(.read, at: gate)
        for other in others { files.fail(.openWarm, on: other.name.text, with: EAGAIN) }
        await withTaskGroup(of: Void.self) { group in
            for other in others { group.addTask { #expect(await disk.body(for: other) == body) } }
            await gate.arrivals(4)
            for _ in 0..<100 { #expect(await disk.body(for: key) == body) }
            gate.open()
        }
    }

    private static let errors: [Int32] = [
        EAGAIN, EPERM, EINVAL, E2BIG, EOPNOTSUPP, ENOSYS, ENOENT, ELOOP, EXDEV, EACCES, EINTR, EIO, EMFILE, ENOMEM,
    ]
    private static let unsupported: Set = [EPERM, EINVAL, E2BIG, EOPNOTSUPP, ENOSYS]

    @Test(arguments: [Call.openWarmDirectory, .openWarm, .readWarm], errors)
    func failingCall_leavesReadToThread_andUnsupportedOneIsRemembered(call: Call, code: Int32) async {
        _ = await filledStore()
        let disk = makeStore()
        let before = threadReads
        files.fail(call, with: code)
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == before + 1)
        files.heal()
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == before + (Self.unsupported.contains(code) ? 2 : 1))
        #expect(await isClean(disk))
    }

    /// Only the owner of a file may leave its access time as it is.
    @Test func fileOfAnotherUser_isReadWithoutThread() async {
        let disk = await filledStore()
        await disk.flush()
        #expect(await disk.body(for: key) == body)
        let (before, opened) = (threadReads, files.count(of: .openWarm))
        files.failOnce(at: 1) { call, _ in call == .openWarm ? EPERM : nil }
        for _ in 0..<3 { #expect(await disk.body(for: key) == body) }
        #expect(files.count(of: .openWarm) == opened + 4)
        #expect(threadReads == before)
        #expect(await isClean(disk))
    }

    @Test func shortReads_ofEveryLength_loseNoEntry() async throws {
        let disk = await filledStore()
        let length = try Data(contentsOf: URL(fileURLWithPath: cache.file(key))).count
        for most in 0..<length {
            files.keep(.warm, most: most)
            #expect(await disk.body(for: key) == body)
        }
        #expect(threadReads == length)
        files.keep(.warm, most: length)
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == length)
        #expect(await isClean(disk))
    }

    @Test func remoteDirectory_isReadOnThreads() async {
        files.fail(.openWarmDirectory, with: EOPNOTSUPP)
        let disk = await filledStore()
        files.heal()
        for _ in 0..<3 { #expect(await disk.body(for: key) == body) }
        #expect(threadReads == 4)
        #expect(files.count(of: .openWarm) == 0)
        #expect(files.count(of: .openWarmDirectory) == 1)
    }

    @Test(arguments: [(256 << 10, 0), (264 << 10, 2)])
    func largeBody_isReadOnThread(bytes: Int, reads: Int) async {
        let large = Data(repeating: 7, count: bytes)
        files.keep(.warm)
        let disk = makeStore()
        await disk.store(large, for: key, begun: disk.ticket())
        await disk.flush()
        for _ in 0..<2 { #expect(await disk.body(for: key) == large) }
        #expect(threadReads == reads)
    }

    @Test(arguments: [Call.openWarm, .fstatWarm, .readWarm, .closeWarm])
    func slowCall_turnsWarmReadsOff_forTenTimesAsLong(call: Call) async {
        let clock = ManualClock()
        let disk = await filledStore(.warm, clock)
        let before = threadReads
        files.precede(call) { clock.advance(by: .milliseconds(2)) }
        #expect(await disk.body(for: key) == body)
        files.heal()
        clock.advance(by: .milliseconds(17))
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == before + 1)
        clock.advance(by: .milliseconds(1))
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == before + 1)
    }

    @Test func fileWithoutName_isClosedOnThread() async {
        let disk = await filledStore()
        let gate = ThreadGate()
        files.hold(.close, on: key.name.text, at: gate)
        let (path, before) = (cache.file(key), files.count(of: .closeWarm))
        files.precede(.fstatWarm) { unlink(path) }
        #expect(await disk.body(for: key) == body)
        await gate.arrivals(1)
        #expect(files.count(of: .closeWarm) == before)
        gate.open()
    }

    // MARK: Which file

    @Test func damagedFile_isReported_onceThreadHasReadIt() async throws {
        let disk = await filledStore()
        var file = try Data(contentsOf: URL(fileURLWithPath: cache.file(key)))
        file[0] ^= 1
        try file.write(to: URL(fileURLWithPath: cache.file(key)))
        let before = threadReads
        #expect(await disk.body(for: key) == nil)
        #expect(threadReads > before)
        #expect(failures.values.count == 1)
        #expect(await disk.statistics.damaged == 1)
    }

    @Test func entryRemovedDuringRead_isNotReturned() async {
        let disk = await filledStore()
        let (key, before) = (key, disk.ticket())
        let removal = Mutex<Task<Void, Never>?>(nil)
        files.precede(.readWarm) {
            // With a priority whose threads aren't those of the read.
            removal.withLock { $0 = $0 ?? Task.detached(priority: .utility) { await disk.remove(key) } }
            while disk.ticket() == before { sched_yield() }
        }
        #expect(await disk.body(for: key) == nil)
        await removal.withLock { $0 }?.value
    }

    @Test func directoryInPlaceOfCache_isReadAfterASecond() async throws {
        let clock = ManualClock()
        let disk = await filledStore(.warm, clock)
        try await clock.sleepers(atLeast: 1)
        let old = cache.path + ".old"
        try FileManager.default.moveItem(atPath: cache.path, toPath: old)
        await store(key(1), in: makeStore())
        _ = await disk.trim(toBytes: .max)
        #expect(await disk.body(for: key) == nil)
        #expect(await disk.body(for: key(1)) == body)
    }

    // MARK: The real calls

    /// Whether the temporary directory's file system supports them.
    private static let isSupported: Bool = {
        let calls = PosixSystemCalls()
        let directory = calls.openWarmDirectory(FileManager.default.temporaryDirectory.path)
        defer { close(directory) }
        let name = "alcedo-probe-\(getpid())"
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        guard directory >= 0, FileManager.default.createFile(atPath: path, contents: Data("a".utf8))
        else { return false }
        let file = calls.openWarm(directory, name, isOwned: true)
        defer {
            close(file)
            unlink(path)
        }
        var byte: UInt8 = 0
        return file >= 0 && calls.readWarm(file, &byte, 1) == 1
    }()

    #if os(Linux)
    /// Whether the system has a file's first page. Trying to read it, even without waiting, could bring it back.
    private func isInMemory(_ file: Int32) -> Bool {
        let page = mmap(nil, 1, PROT_READ, MAP_SHARED, file, 0)
        defer { munmap(page, 1) }
        var isResident: UInt8 = 0
        return mincore(page, 1, &isResident) == 0 && isResident & 1 == 1
    }

    @Test(.enabled(if: isSupported)) func droppedFile_isRead_andThenWithoutThread() async {
        let disk = await filledStore(.real)
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == 0)
        let file = open(cache.file(key), O_RDONLY)
        #expect(fsync(file) == 0)
        // A page that the kernel is just sorting into its lists isn't dropped.
        repeat {
            #expect(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0)
            await Task.yield()
        } while isInMemory(file) && !Task.isCancelled
        close(file)
        #expect(await disk.body(for: key) == body)
        // None if the device is so fast that it has the page before the attempt to read it without a thread returns.
        let reads = threadReads
        #expect(reads <= 1)
        #expect(await disk.body(for: key) == body)
        #expect(threadReads == reads)
        #expect(await isClean(disk))
    }
    #endif

    @Test(.enabled(if: isSupported), arguments: [FaultySystemCalls.Warmth.cold, .real], [true, false])
    func linkInsideCache_isNotFollowed(warmth: FaultySystemCalls.Warmth, isDirectory: Bool) async throws {
        let disk = await filledStore(warmth)
        let path = isDirectory ? cache.path + "/entries" : cache.file(key)
        try FileManager.default.moveItem(atPath: path, toPath: temporary.file("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: temporary.file("elsewhere"))
        #expect(await disk.body(for: key) == nil)
    }
}
