import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What the system says of the process is read once, and never on the threads of the pool.
@Suite(.timeLimit(.minutes(1))) struct ProcessMemoryTests {
    private let reads = Recorder<Bool>()
    private let gate = ThreadGate()
    private let memory: ProcessMemory

    init() {
        memory = ProcessMemory { [reads, gate] in
            reads.record(WorkerThreads.isCurrent)
            gate.enter()
            return 5 << 20
        }
    }

    @Test func limit_isReadOnce_onBlockingThread() async {
        async let first = memory.limit()
        async let second = memory.limit()
        await gate.arrivals(1)
        // The pool is free meanwhile.
        #expect(await Task.detached { 42 }.value == 42)
        gate.open()
        #expect(await [first, second, memory.limit()] == [5 << 20, 5 << 20, 5 << 20])
        #expect(reads.values == [true])
    }

    @Test func manyCallers_useOneThread() async throws {
        // Named so that no other test's thread is counted.
        let memory = ProcessMemory(label: "counted") { [reads, gate] in
            reads.record(WorkerThreads.isCurrent)
            gate.enter()
            return 5 << 20
        }
        let callers = (0..<300).map { _ in Task { await memory.limit() } }
        await gate.arrivals(1)
        // A thread more for each caller would be there by the time that other work of theirs has run.
        for _ in 0..<100 { await Task.detached {}.value }
        #expect(try Self.threads(named: "alcedo.counted") == 1)
        gate.open()
        for caller in callers { #expect(await caller.value == 5 << 20) }
        #expect(reads.values == [true])
    }

    private static func threads(named name: String) throws -> Int {
        let tasks = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).count { task in
            let comm = FileManager.default.contents(atPath: "\(tasks)/\(task)/comm") ?? Data()
            return String(decoding: comm, as: UTF8.self).hasPrefix(name.prefix(15))
        }
    }

    @Test func cancelledCaller_doesNotWait() async {
        let caller = Task { [memory] in await memory.limitUnlessCancelled() }
        await gate.arrivals(1)
        caller.cancel()
        #expect(await caller.value == nil)
        gate.open()
    }

    @Test func creatingLoader_readsNothing() async throws {
        let png = try Pictures.png(10, 10)
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
        fixture.configuration.download.response = ResponseRules()
        fixture.configuration.memory = .init()
        let loader = ImageLoader(fixture.configuration, calls: fixture.calls, processMemory: memory)
        #expect(loader.cachedImage(for: try .test()) == nil)
        #expect(reads.values.isEmpty)
        gate.open()
        // Half of it is too little for this one.
        let large = Data(count: 5 << 20 / 2 + 1)
        await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: large.count, allowed: 5 << 20 / 2)) {
            try await loader.image(for: ImageRequest(data: large, id: "large"))
        }
        _ = try await loader.image(for: .test())
        #expect(loader.memoryCache.statistics.count == 1)
        // As is a fifth for this one.
        let image = try MemoryPicture.make(600)
        try await loader.store(image, for: ImageRequest(url: .test("b.png")))
        #expect(loader.memoryCache.statistics.byteCount <= 1 << 20)
        #expect(reads.values == [true])
    }

    @Test func laterSettings_areNotUndoneByDefault() async throws {
        let cache = MemoryCache(valid: .init(), memory: memory)
        let store = Task {
            let entry = MemoryEntry(try MemoryPicture.make(number: 1))
            await cache.store(entry, for: ImageKey(ResourceKey(text: "a")), begun: cache.ticket())
        }
        await gate.arrivals(1)
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 0
        try await cache.change(to: settings)
        gate.open()
        try await store.value
        #expect(cache.statistics.count == 0)
    }
}
