import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Runs many loads from a site at once, and cancels three quarters of them.
struct Storm {
    private static let environment = ProcessInfo.processInfo.environment
    static let loads = environment["ALCEDO_STORM_LOADS"].flatMap { Int($0) } ?? 2_000
    static let seed = environment["ALCEDO_STORM_SEED"].flatMap { UInt64($0) } ?? 1

    /// The number of concurrent loads. The loader lets fewer of them reach the server.
    static let callers = 64
    static let width = 16

    let site: StormSite
    let transport: RealTransport
    /// The site's server, if it has statistics.
    let server: LoopbackServer?
    var settings = TransportSettings()

    init(_ site: StormSite, _ transport: RealTransport, server: LoopbackServer? = nil) throws {
        self.site = site
        self.transport = transport
        self.server = server
        settings.maximumConnectionsPerHost = Self.width + 2
    }

    /// The whole storm, after which the process must hold no more descriptors and threads than before.
    func runAndCount() async throws {
        // The first run creates what a process creates only once.
        try await runAndRelease(loads: 4 * Self.callers)
        let before = Footprint()
        try await runAndRelease(loads: Self.loads)
        before.waitUntilRestored()
    }

    /// Runs `loads` loads and waits until the loader has released everything.
    private func runAndRelease(loads: Int) async throws {
        let isReleased = try await run(loads: loads)
        // Transfers retain the transport until their last callback.
        for _ in 0..<60_000 where !isReleased() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isReleased())
        try await server?.until { $0.openConnections == 0 }
    }

    /// Returns a closure that says whether the loader and its transport have been released.
    private func run(loads: Int) async throws -> () -> Bool {
        let made = transport.make(settings)
        let loader = ImageLoader(configuration(made))
        let tally = Tally()
        let time = await ContinuousClock().measure {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask {
                        while let number = tally.next(below: loads) { await load(number, with: loader, tally) }
                    }
                }
            }
        }
        #expect(tally.ended == loads)
        print("storm, \(transport.testDescription): \(loads) loads, \(tally), \(time), seed \(Self.seed)")
        // Only idle connections remain.
        try await server?.until { $0.activeRequests == 0 && $0.openConnections <= Self.width + 2 }
        var statistics = await loader.downloads.statistics
        while statistics.running + statistics.queued > 0, !Task.isCancelled {
            await Task.yield()
            statistics = await loader.downloads.statistics
        }
        #expect(statistics.failed == 0 && statistics.succeeded >= tally.finished)
        return { [weak loader, weak made] in loader == nil && made == nil }
    }

    /// Timeouts are the defaults: a load that hangs ends with an error.
    private func configuration(_ transport: any DataLoading) -> ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.maximumConcurrentDownloads = Self.width
        configuration.download.maximumConcurrentDownloadsPerHost = Self.width
        // A retry would hide a failed attempt.
        configuration.download.retry = .none
        configuration.dataLoader = transport
        return configuration
    }

    /// Runs one load, which may be cancelled.
    private func load(_ number: Int, with loader: ImageLoader, _ tally: Tally) async {
        var random = SeededRandom(seed: Self.seed &* 1_000_003 &+ UInt64(number))
        let isToBeCancelled = number % 4 != 0
        let (url, content) = site.resource(number, mayHang: isToBeCancelled, using: &random)
        let seen = server?.statistics.requests ?? 0
        let load = Task { () throws -> StormSite.Content in
            // An image loaded before is requested again.
            var request = ImageRequest(url: url)
            request.readPolicy = .reload
            return switch content {
            case .bytes: .bytes(try await loader.data(for: request))
            case .picture: .picture(try await loader.image(for: request).size)
            }
        }
        let cancellation = Task { [random] in
            guard isToBeCancelled else { return }
            await pause(after: seen, random)
            load.cancel()
        }
        let result = await load.result
        cancellation.cancel()
        await cancellation.value
        switch result {
        case .success(let loaded):
            if loaded != content { tally.report("\(url): \(loaded)") }
            tally.countFinished()
        case .failure(let error):
            let isRight = isToBeCancelled && error as? ImageLoaderError == .cancelled
            if !isRight { tally.report("\(url): \(error)") }
            tally.countCancelled()
        }
    }

    /// Waits before a cancellation: not at all, while the load is queued or connects; until the server has received a
    /// request, its own at the latest; or for a short random time. Ends early when the Task is cancelled.
    private func pause(after seen: Int, _ random: SeededRandom) async {
        var random = random
        let kind = Int.random(in: 0..<4, using: &random)
        let pause = Duration.microseconds(Int.random(in: 0..<(kind == 3 ? 100_000 : 2_000), using: &random))
        do {
            if kind == 1 { try await server?.until { $0.requests > seen } }
            if kind > 0 { try await Task.sleep(for: pause) }
        } catch {
            must(error is CancellationError, "\(error)")
        }
    }
}

/// Numbers the loads of a storm and counts how they ended.
private final class Tally: Sendable, CustomStringConvertible {
    private let state = Mutex((begun: 0, finished: 0, cancelled: 0, wrong: 0))

    /// The next load's number, nil when all have begun.
    func next(below limit: Int) -> Int? {
        state.withLock { state in
            guard state.begun < limit else { return nil }
            defer { state.begun += 1 }
            return state.begun
        }
    }

    func countFinished() { state.withLock { $0.finished += 1 } }
    func countCancelled() { state.withLock { $0.cancelled += 1 } }

    /// Records the first ten problems only: they go to the parent process through a pipe that it reads at the end.
    func report(_ problem: String) {
        let count = state.withLock { state in
            state.wrong += 1
            return state.wrong
        }
        must(count > 10, problem)
    }

    var finished: Int { state.withLock { $0.finished } }
    var ended: Int { state.withLock { $0.finished + $0.cancelled } }

    var description: String {
        state.withLock { "\($0.finished) finished, \($0.cancelled) cancelled, \($0.wrong) wrong" }
    }
}
