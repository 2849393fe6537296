#if os(Linux)
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct MemoryPressureWatcherTests {
    private let temporary: TemporaryDirectory
    private let clock = ManualClock()
    private let told = Recorder<MemoryPressure>()
    private let sleep: ScriptedSleep

    init() throws {
        temporary = try TemporaryDirectory()
        sleep = try ScriptedSleep()
        try write("memory.pressure", "")
        try write("memory.events", "low 0\nhigh 0\nmax 5\noom 0\noom_kill 0\n")
    }

    private func write(_ name: String, _ text: String) throws {
        // In place: the watcher has the file open.
        let file = open(temporary.file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let bytes = Array(text.utf8)
        try #require(Foundation.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    private func files(_ stalls: [String], _ events: [String]) -> MemoryPressureFiles {
        MemoryPressureFiles(stalls: stalls.map(temporary.file), events: events.map(temporary.file))
    }

    /// Its sources are, in this order: some stall, all stall, counters.
    private func watch(_ files: MemoryPressureFiles? = nil) throws -> MemoryPressureWatcher {
        try MemoryPressureWatcher(
            files ?? self.files(["memory.pressure"], ["memory.events"]), now: TimeSource(clock).now,
            wait: { [sleep] in sleep.wait(&$0) }, onPressure: { [told] in told.record($0) })
    }

    @Test func stalls_areReported() async throws {
        let watcher = try watch()
        sleep.wake(0, POLLPRI)
        #expect(await told.wait { $0.count == 1 } == [.warning])
        sleep.wake(1, POLLPRI)
        #expect(await told.wait { $0.count == 2 } == [.warning, .critical])
        // In the same second.
        for _ in 0..<20 { sleep.wake(0, POLLPRI) }
        await sleep.sleeps(22 + 1)
        #expect(told.values.count == 2)
        clock.advance(to: ManualClock.Instant(offset: .seconds(1)))
        sleep.wake(0, POLLPRI)
        #expect(await told.wait { $0.count == 3 }.last == .warning)
        withExtendedLifetime(watcher) {}
    }

    @Test func counters_areReportedWhenTheyRise() async throws {
        let watcher = try watch()
        sleep.wake(2, POLLPRI | POLLERR)
        await sleep.sleeps(2)
        #expect(told.values.isEmpty)
        try write("memory.events", "low 0\nhigh 0\nmax 6\noom 0\noom_kill 0\n")
        sleep.wake(2, POLLPRI | POLLERR)
        #expect(await told.wait { $0.count == 1 } == [.warning])
        try write("memory.events", "low 0\nhigh 0\nmax 6\noom 1\noom_kill 1\n")
        sleep.wake(2, POLLPRI | POLLERR)
        #expect(await told.wait { $0.count == 2 } == [.warning, .critical])
        withExtendedLifetime(watcher) {}
    }

    @Test func vanishedSource_isDropped_andOthersRemain() async throws {
        let watcher = try watch()
        sleep.wake(0, POLLPRI | POLLERR)
        #expect(await sleep.sleeps(2).last == 3)
        // The second one is the first of those that are left.
        sleep.wake(0, POLLPRI)
        #expect(await told.wait { $0.count == 1 } == [.critical])
        sleep.wake(0, POLLNVAL)
        #expect(await sleep.sleeps(4).last == 2)
        try write("memory.events", "oom 1\n")
        clock.advance(to: ManualClock.Instant(offset: .seconds(1)))
        sleep.wake(0, POLLPRI | POLLERR)
        #expect(await told.wait { $0.count == 2 } == [.critical, .critical])
        withExtendedLifetime(watcher) {}
    }

    @Test func triggers_areWritten() throws {
        let path = temporary.file("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let watcher = try watch(files(["fifo"], []))
        var bytes = [UInt8](repeating: 0xFF, count: 100)
        let count = read(reader, &bytes, bytes.count)
        #expect(
            String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "some 200000 2000000\0full 500000 2000000\0"
        )
        withExtendedLifetime(watcher) {}
    }

    @Test func firstOpenableFile_isUsed() async throws {
        let watcher = try watch(files(["absent", "memory.pressure", "never"], ["absent", "memory.events", "never"]))
        sleep.wake(2, POLLPRI)
        #expect(await sleep.sleeps(2) == [4, 4])
        withExtendedLifetime(watcher) {}
    }

    @Test func oneKind_isEnough() async throws {
        let watcher = try watch(files(["absent"], ["memory.events"]))
        try write("memory.events", "oom_kill 1\n")
        sleep.wake(0, POLLPRI | POLLERR)
        #expect(await told.wait { $0.count == 1 } == [.critical])
        withExtendedLifetime(watcher) {}
    }

    @Test func nothingToWatch_saysWhy() throws {
        let files = files(["absent"], ["absent.events", ""])
        let error = #expect(throws: MemoryPressureUnavailable.self) { _ = try watch(files) }
        #expect(
            error?.failures == [
                FileError(call: "open", path: files.stalls[0], code: ENOENT),
                FileError(call: "open", path: files.events[0], code: ENOENT),
                // A directory opens, and can't be read.
                FileError(call: "read", path: files.events[1], code: EISDIR),
            ])
        #expect(sleep.hasNotBegun)
        #expect(try openFiles(below: temporary.path) == [])
    }

    @Test func releasedWatcher_givesItsThreadAndFilesBack() async throws {
        let ended = Recorder<Bool>()
        var watcher: MemoryPressureWatcher? = try {
            let token = Token { ended.record(true) }
            return try MemoryPressureWatcher(
                files(["memory.pressure"], ["memory.events"]), wait: { [sleep] in sleep.wait(&$0) },
                onPressure: { _ in withExtendedLifetime(token) {} })
        }()
        await sleep.sleeps(1)
        #expect(try openFiles(below: temporary.path).count == 3)
        let stop = try #require(sleep.stopLink)
        #expect(try openFiles(below: stop).count == 1)
        withExtendedLifetime(watcher) {}
        watcher = nil
        // The thread's block is released when it has run.
        await ended.wait { !$0.isEmpty }
        #expect(try openFiles(below: temporary.path) == [])
        #expect(try openFiles(below: stop) == [])
    }

    /// What the process has open whose name begins so.
    private func openFiles(below prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { ScriptedSleep.link($0) }
            .filter { $0.hasPrefix(prefix) }
    }

    @Test func currentSystem_isWatched_orReportsReason() async throws {
        do {
            let watcher = try MemoryPressureWatcher { _ in }
            withExtendedLifetime(watcher) {}
        } catch {
            #expect(!error.failures.isEmpty)
            #expect(error.failures.allSatisfy { $0.code != EINVAL }, "\(error)")
        }
    }

    @Test func kernelFile_acceptsTriggers_orReportsReason() throws {
        let file = "/proc/pressure/memory"
        do {
            var sources = try MemoryPressureSources(MemoryPressureFiles(stalls: [file], events: []))
            #expect(sources.all.map(\.kind) == [.someStall, .allStall])
            sources.close()
        } catch {
            #expect(error.failures.map(\.path) == [file])
            #expect([ENOENT, EACCES, EPERM, EROFS, EOPNOTSUPP].contains(error.failures[0].code), "\(error)")
        }
    }
}

/// Tells when it is released.
private final class Token: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}

/// Stands in for `poll`: it returns what a test says, or when the watcher is released.
private final class ScriptedSleep: Sendable {
    private let script: Int32
    private let writer: Int32
    /// How many descriptors were waited for, each time.
    private let counts = Recorder<Int>()
    private let stop = Mutex<String?>(nil)

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (script, writer) = (ends[0], ends[1])
    }

    deinit {
        close(script)
        close(writer)
    }

    var hasNotBegun: Bool { counts.values.isEmpty }
    /// What the last descriptor, which ends the loop, leads to.
    var stopLink: String? { stop.withLock { $0 } }

    static func link(_ descriptor: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/" + descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Suspends until the watcher's thread has gone to sleep `count` times.
    @discardableResult
    func sleeps(_ count: Int) async -> [Int] { await counts.wait { $0.count >= count } }

    /// Makes a sleep return with `events` for the descriptor at `index`.
    func wake(_ index: UInt8, _ events: Int32) {
        _ = write(writer, [index, UInt8(events)], 2)
    }

    func wait(_ polled: inout [pollfd]) -> Int32 {
        let last = polled.count - 1
        stop.withLock { $0 = Self.link(String(polled[last].fd)) }
        counts.record(polled.count)
        var real = [polled[last], pollfd(fd: script, events: Int16(POLLIN), revents: 0)]
        let count = poll(&real, 2, -1)
        guard count > 0 else { return count }
        polled[last].revents = real[0].revents
        if real[1].revents != 0 {
            var bytes: [UInt8] = [0, 0]
            guard read(script, &bytes, 2) == 2 else { return -1 }
            polled[Int(bytes[0])].revents = Int16(bytes[1])
        }
        return count
    }
}
#endif
