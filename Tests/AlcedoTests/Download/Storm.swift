import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo

/// Loads from a site, many at once, and cancels three quarters of them.
struct Storm {
    private static let environment = ProcessInfo.processInfo.environment
    static let loads = environment["ALCEDO_STORM_LOADS"].flatMap { Int($0) } ?? 2_000
    static let seed = environment["ALCEDO_STORM_SEED"].flatMap { UInt64($0) } ?? 1

    /// Loads under way at once, of which the loader lets fewer go to the server.
    static let callers = 64
    static let width = 16

    let site: StormSite
    let transport: RealTransport
    /// The site's, if it can be asked what it has seen.
    let server: LoopbackServer?
    var settings = TransportSettings()

    init(_ site: StormSite, _ transport: RealTransport, server: LoopbackServer? = nil) throws {
        self.site = site
        self.transport = transport
        self.server = server
        settings.maximumConnectionsPerHost = Self.width + 2
    }

    /// The whole storm, after which the process holds no more of the system than before.
    func rageAndCount() async throws {
        // What a process makes once and keeps is made before the count.
        try await rage(loads: 4 * Self.callers)
        let before = Footprint()
        try await rage(loads: Self.loads)
        before.isReachedAgain()
    }

    /// Runs `loads` loads and has the loader give everything back.
    private func rage(loads: Int) async throws {
        let isGone = try await run(loads: loads)
        // The transport is held by transfers until their last callback has come.
        for _ in 0..<60_000 where !isGone() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isGone())
        try await server?.until { $0.openConnections == 0 }
    }

    /// Returns a closure that tells whether the loader and its transport are gone.
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
        // The connections that are left are the kept ones.
        try await server?.until { $0.activeRequests == 0 && $0.openConnections <= Self.width + 2 }
        var statistics = await loader.downloads.statistics
        while statistics.running + statistics.queued > 0, !Task.isCancelled {
            await Task.yield()
            statistics = await loader.downloads.statistics
        }
        #expect(statistics.failed == 0 && statistics.succeeded >= tally.finished)
        return { [weak loader, weak made] in loader == nil && made == nil }
    }

    /// Times are the defaults: a load that hangs ends with an error.
    private func configuration(_ transport: any DataLoading) -> ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.maximumConcurrentDownloads = Self.width
        configuration.download.maximumConcurrentDownloadsPerHost = Self.width
        // Another attempt would hide that one has failed.
        configuration.download.retry = .none
        configuration.dataLoader = transport
        return configuration
    }

    /// One load and its fate.
    private func load(_ number: Int, with loader: ImageLoader, _ tally: Tally) async {
        var random = SeededRandom(seed: Self.seed &* 1_000_003 &+ UInt64(number))
        let isToBeCancelled = number % 4 != 0
        let (url, content) = site.resource(number, mayHang: isToBeCancelled, using: &random)
        let seen = server?.statistics.requests ?? 0
        let load = Task { () throws -> StormSite.Content in
            // A picture that came before is asked for again.
            var request = ImageRequest(url: url)
            request.cachePolicy = .reload
            return switch content {
            case .bytes: .bytes(try await loader.data(for: request))
            case .picture: .picture(try await loader.image(for: request).size)
            }
        }
        let fate = Task { [random] in
            guard isToBeCancelled else { return }
            await moment(after: seen, random)
            load.cancel()
        }
        let result = await load.result
        fate.cancel()
        await fate.value
        switch result {
        case .success(let loaded):
            if loaded != content { tally.complain("\(url): \(loaded)") }
            tally.countFinished()
        case .failure(let error):
            let isRight = isToBeCancelled && error as? ImageLoaderError == .cancelled
            if !isRight { tally.complain("\(url): \(error)") }
            tally.countCancelled()
        }
    }

    /// Lets a moment pass: none, while the load is in line or connects; until requests have come, its own at the
    /// latest; or any short time, in which much can happen. Ends with the load.
    private func moment(after seen: Int, _ random: SeededRandom) async {
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

/// Deals out the loads of a storm and counts how they ended.
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

    /// What went wrong is told a few times only: it goes to the parent process by a pipe, which that empties at the
    /// end.
    func complain(_ problem: String) {
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

/// What the process holds of the system.
private struct Footprint {
    private let descriptors = Self.count("/proc/self/fd")
    private let threads = Self.count("/proc/self/task")

    /// 0 where there is no such directory.
    private static func count(_ directory: String) -> Int {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory).count } catch { return 0 }
    }

    /// Waits until it holds no more again: idle threads of a pool take some seconds to end.
    ///
    /// Blocks the calling thread. A Task that sleeps in between would be resumed by one thread of the pool after the
    /// other, and keep them all.
    func isReachedAgain() {
        for _ in 0..<18_000 {
            let now = Footprint()
            if now.descriptors <= descriptors && now.threads <= threads { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        Issue.record("\(self) has become \(Footprint())")
    }
}
