import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Loads while there is no network.
@Suite(.timeLimit(.minutes(1))) struct ConnectivityTests {
    private let clock = ManualClock()
    private let transport = ScriptedDataLoader()
    private let network = ScriptedNetwork()
    private let png: Data

    init() throws { png = try Pictures.png() }

    private func makeDownloads(
        _ transport: ScriptedDataLoader? = nil, timeOfDay: @escaping @Sendable () -> Int64 = { 0 }
    ) -> DownloadCoordinator {
        var settings = DownloadCoordinator.Settings()
        settings.retry = .none
        settings.failureLifetimes = .none
        settings.response.maximumBytes = 200 << 20
        settings.bodyBudget = BodyBudget(byteLimit: 64 << 20)
        settings.connectivityWait = .seconds(60)
        return DownloadCoordinator(
            valid: settings, loader: transport ?? self.transport, time: TimeSource(clock, secondsSince1970: timeOfDay),
            network: network.monitor)
    }

    private func makeLoader() -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.clock = clock
        return ImageLoader(configuration, downloads: makeDownloads())
    }

    @Test(arguments: ["image", "data", "encoded"]) func load_waits_forANetwork(_ kind: String) async throws {
        let loader = makeLoader()
        let load = Task {
            switch kind {
            case "image": _ = try await loader.image(for: .test())
            case "data": _ = try await loader.data(for: .test())
            default: _ = try await loader.encoded(for: .test(), as: PNGEncoder())
            }
        }
        (try await transport.nextCall()).fail(.offline)
        try await clock.sleeper(until: .init(offset: .seconds(60)))
        network.report(true)
        (try await transport.nextCall()).answer(png)
        try await load.value
        #expect(transport.callCount == 2)
        #expect(network.watches.values == [true, false])
    }

    @Test func callersThatJoin_shareTheWait_andTheLastOneEndsIt() async throws {
        let loader = makeLoader()
        let first = Task { try await loader.image(for: .test()) }
        (try await transport.nextCall()).fail(.offline)
        try await clock.sleeper(until: .init(offset: .seconds(60)))
        let second = Task { try await loader.image(for: .test()) }
        while !Task.isCancelled, await loader.coalescedLoadCount < 1 { await Task.yield() }
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        #expect(network.watches.values == [true])
        second.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await second.value }
        await network.watches.wait { $0 == [true, false] }
        #expect(transport.callCount == 1)
    }

    @Test func deadline_endsTheWait() async throws {
        let loader = makeLoader()
        let load = Task { [request = try ImageRequest.test { $0.deadline = .seconds(5) }] in
            try await loader.image(for: request)
        }
        (try await transport.nextCall()).fail(.offline)
        try await clock.sleeper(until: .init(offset: .seconds(60)))
        try await clock.sleeper(until: .init(offset: .seconds(5)))
        clock.advance(by: .seconds(5))
        await #expect(throws: ImageLoaderError.timedOut(.deadline)) { try await load.value }
        await network.watches.wait { $0 == [true, false] }
    }

    @Test func prefetching_waits_andGoesOn() async throws {
        let prefetcher = ImagePrefetcher(makeLoader(), window: 2)
        prefetcher.start(try (0..<5).map { try URL.test("\($0).png") })
        // The second load may begin when it is known that there is no network.
        (try await transport.nextCall()).fail(.offline)
        let first = Task { [transport] in try await transport.nextCall() }
        try await clock.sleeper(until: .init(offset: .seconds(60)))
        network.report(true)
        (try await first.value).answer(png)
        for _ in 1..<5 { (try await transport.nextCall()).answer(png) }
        for await progress in prefetcher.progressUpdates where progress.remaining == 0 {
            #expect(progress.finished == 5 && progress.failed == 0)
            break
        }
    }

    @Test func closing_endsWaits() async throws {
        let loader = makeLoader()
        let load = Task { try await loader.image(for: .test()) }
        (try await transport.nextCall()).fail(.offline)
        try await clock.sleeper(until: .init(offset: .seconds(60)))
        await loader.close()
        await #expect(throws: ImageLoaderError.self) { try await load.value }
        await network.watches.wait { $0 == [true, false] }
    }

    /// A stale image is worth more than a wait, and no caller waits for a revalidation in the background.
    @Test(arguments: ["stale-if-error=600", "stale-while-revalidate=600"])
    func staleImage_isReturned_withoutAWait(_ directive: String) async throws {
        let origin = try ChangingOrigin()
        origin.change { $0.headers["Cache-Control"] = "max-age=60, \(directive)" }
        let second: @Sendable () -> Int64 = { origin.state.withLock { $0.second } }
        let downloads = makeDownloads(origin.transport, timeOfDay: second)
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.timeOfDay = second
        let loader = ImageLoader(configuration, downloads: downloads)
        _ = try await loader.image(for: .test())
        origin.pass(70)
        origin.change { $0.failure = .failure(.offline) }
        let response = try await loader.response(for: .test())
        #expect(response.staleReason == (directive.contains("error") ? .afterError : .whileRevalidating))
        while !Task.isCancelled, await downloads.statistics.failed < 1 { await Task.yield() }
        #expect(network.watches.values == [])
    }
}
