import AlcedoTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Loads that no flight has while all loads are cancelled.
@Suite(.timeLimit(.minutes(1))) struct CancelAllTests {
    /// No flight has it then, so nothing is found to cancel.
    @Test func loadBetweenTwoURLs_isCancelled() async throws {
        let png = try Pictures.png()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) }).makeLoader()
        var request = try ImageRequest.test("a.png")
        request.fallbacks = [try .test("b.png")]
        let result = await Task { [request] in
            try await loader.path.first(of: request, nil, decodes: true) {
                (next, isFallback) async throws(ImageLoaderError) -> LoadedImage in
                guard isFallback else {
                    await loader.cancelAll()
                    throw .badStatus(404)
                }
                return try await loader.path.image(for: next)
            }
        }.result
        #expect(throws: ImageLoaderError.cancelled) { try result.get() }
    }

    /// Its earlier failures are being looked up then.
    @Test func loadBeforeItsFirstURL_isCancelled() async throws {
        let png = try Pictures.png()
        var fixture = try LoaderFixture(
            ScriptedDataLoader { $0.url.lastPathComponent == "b.png" ? .bytes(png) : .status(503) })
        fixture.configuration.clock = ManualClock()
        fixture.configuration.download.failureLifetimes = FailureLifetimes()
        let loader = fixture.makeLoader()
        var request = try ImageRequest.test("a.png")
        request.fallbacks = [try .test("b.png")]
        _ = try await loader.image(for: request)
        let asked = Recorder<String>()
        let result = await Task { [request] in
            try await loader.path.first(of: request, nil, decodes: true) {
                (next, _) async throws(ImageLoaderError) -> LoadedImage in
                asked.record(next.url?.lastPathComponent ?? "")
                // The caches have neither.
                guard next.readPolicy == .cachedOnly else { return try await loader.path.image(for: next) }
                await loader.cancelAll()
                throw .notCached
            }
        }.result
        #expect(throws: ImageLoaderError.cancelled) { try result.get() }
        #expect(asked.values == ["a.png", "b.png"])
    }

    /// The Task that loads it hasn't begun then.
    @Test(arguments: ["image", "bytes", "file"])
    func loadWithADeadline_isCancelled_beforeItBegins(kind: String) async throws {
        let png = try Pictures.png()
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
        (fixture.configuration.clock, fixture.configuration.disk) = (ManualClock(), nil)
        let (loader, executor) = (fixture.makeLoader(), SteppedExecutor())
        let request = try ImageRequest.test { $0.deadline = .seconds(3600) }
        let load = Task(executorPreference: executor) {
            switch kind {
            case "image": _ = try await loader.image(for: request)
            case "bytes": _ = try await loader.data(for: request)
            default: _ = try await loader.encoded(for: request)
            }
        }
        // The caller runs until it waits for its load and its deadline.
        await executor.jobs.wait { $0.count == 1 }
        executor.runJobs()
        await executor.jobs.wait { $0.count == 2 }
        await loader.cancelAll()
        executor.open()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        #expect(fixture.transport.callCount == 0)
    }

    /// It is in the disk's look-up then, and would download what is missing.
    @Test func loadOfBytes_isCancelled_beforeItsDownload() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(Data()) })
        let png = try Pictures.png()
        var request = try ImageRequest.test()
        let first = fixture.makeLoader()
        try await first.store(png, for: request)
        await first.flush()
        request.readPolicy = .revalidate
        let loader = fixture.makeLoader()
        let gate = ThreadGate()
        fixture.calls.hold(.open, on: "/entries/", at: gate)
        let bytes = Task { [request] in try await loader.data(for: request) }
        await gate.arrivals(1)
        await loader.cancelAll()
        gate.open()
        await #expect(throws: ImageLoaderError.cancelled) { try await bytes.value }
        #expect(fixture.transport.callCount == 0)
    }
}

/// Runs jobs only when a test says so, until it is opened.
private final class SteppedExecutor: TaskExecutor {
    /// The jobs that haven't been run.
    let jobs = Recorder<UnownedJob>()
    private let isOpen = Atomic(false)
    private let queue = DispatchQueue(label: "stepped")

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.record(UnownedJob(job))
        if isOpen.load(ordering: .sequentiallyConsistent) { runJobs() }
    }

    func runJobs() {
        for job in jobs.takeAll() { queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }

    func open() {
        isOpen.store(true, ordering: .sequentiallyConsistent)
        runJobs()
    }
}
