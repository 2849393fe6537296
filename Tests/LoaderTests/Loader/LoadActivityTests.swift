import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The work that waits and runs.
@Suite(.timeLimit(.minutes(1))) struct LoadActivityTests {
    @Test func activity_countsWhatWaitsAndRuns() async throws {
        let transport = ScriptedDataLoader()
        var fixture = try LoaderFixture(transport)
        fixture.configuration.download.maximumConcurrentDownloads = 1
        let loader = fixture.makeLoader()
        #expect(await loader.activity.isIdle)
        let tasks = try ["a.png", "b.png"].map { loader.imageTask(for: try .test($0)) }
        let call = try await transport.nextCall()
        while await loader.activity.queuedDownloads < 1 { await Task.yield() }
        let activity = await loader.activity
        #expect(activity.runningDownloads == 1 && activity.queuedDownloads == 1 && !activity.isIdle)
        call.answer(try Pictures.png())
        try await transport.nextCall().answer(try Pictures.png())
        for task in tasks { _ = try await task.image }
        await loader.flush()
        await loader.path.flights.ended()
        #expect(await loader.activity.isIdle)
    }

    @Test func loadThatWaitsForARetry_isNotIdle() async throws {
        let transport = ScriptedDataLoader { _ in .status(503) }
        var fixture = try LoaderFixture(transport)
        // It stands still, so the wait has no end.
        fixture.configuration.clock = ManualClock()
        fixture.configuration.download.retry = RetryPolicy()
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: try .test())
        await fixture.events.wait { $0.contains { if case .retried = $0 { true } else { false } } }
        var activity = await loader.activity
        while activity.runningDownloads + activity.queuedDownloads > 0 {
            await Task.yield()
            activity = await loader.activity
        }
        #expect(!activity.isIdle)
        task.cancel()
    }

    @Test func decode_isCounted() async throws {
        let gate = ThreadGate()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .status(404) }).makeLoader()
        let held = Task.detached { await loader.path.decoding.whenIdle { _ in gate.enter() } }
        await gate.arrivals(1)
        #expect(await loader.activity.runningDecodes == 1)
        gate.open()
        _ = await held.value
        #expect(await loader.activity.runningDecodes == 0)
    }

    @Test func updates_tellChanges_untilTheLoaderIsReleased() async throws {
        let clock = ManualClock()
        let transport = ScriptedDataLoader()
        var fixture = try LoaderFixture(transport)
        fixture.configuration.clock = clock
        var loader: ImageLoader? = fixture.makeLoader()
        let (updates, seen) = (try #require(loader).activityUpdates(every: .seconds(1)), Recorder<LoadActivity>())
        let reader = Task { for await activity in updates { seen.record(activity) } }
        func until(_ holds: (LoadActivity) -> Bool) async {
            while seen.values.last.map(holds) != true, !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        await until { $0.isIdle }
        #expect(seen.values.count == 1)
        let task = try #require(loader).imageTask(for: try .test())
        let call = try await transport.nextCall()
        await until { $0.runningDownloads == 1 }
        call.answer(try Pictures.png())
        _ = try await task.image
        await until { $0.isIdle }
        #expect(zip(seen.values, seen.values.dropFirst()).allSatisfy { $0 != $1 })
        await loader?.close()
        loader = nil
        clock.advance(by: .seconds(1))
        await reader.value
    }
}
