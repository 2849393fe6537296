import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1)), .overEachStore) struct CoalescingTests {
    private let fixture: LoaderFixture
    private let loader: ImageLoader
    private let png: Data

    init() throws {
        png = try Pictures.png()
        fixture = try LoaderFixture(ScriptedDataLoader())
        loader = fixture.makeLoader()
    }

    private func load(_ path: String = "a.png") throws -> Task<DecodedImage, any Error> {
        let url = try URL.test(path)
        return Task { [loader] in try await loader.image(for: url) }
    }

    @Test func thousandCallers_shareOneDownloadAndImage() async throws {
        let callers = try (0..<1000).map { _ in try load() }
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(999)
        call.answer(png)
        var bitmaps: Set<ObjectIdentifier> = []
        for caller in callers { bitmaps.insert(ObjectIdentifier(try await caller.value.bitmap)) }
        #expect(bitmaps.count == 1)
        #expect(fixture.transport.callCount == 1)
        #expect(await loader.coalescedLoadCount == 999)
    }

    @Test func cancellingOneOfTwo_letsOtherFinish() async throws {
        let (first, second) = (try load(), try load())
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(1)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        call.answer(png)
        _ = try await second.value
        #expect(call.end == .finished)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func cancellingLast_cancelsTransfer_atEveryStage() async throws {
        for stage in 0..<3 {
            let callers = try (0..<5).map { _ in try load("stage\(stage).png") }
            let call = try await fixture.transport.nextCall()
            if stage > 0 { call.respond(expectedBytes: png.count) }
            if stage > 1 { call.send(png.prefix(20)) }
            try await call.delivered()
            await fixture.untilCoalesced(4 * (stage + 1))
            for caller in callers { caller.cancel() }
            try await call.cancelled()
            for caller in callers { await #expect(throws: ImageLoaderError.cancelled) { try await caller.value } }
        }
    }

    @Test func cancelledCaller_resumesAtOnce() async throws {
        let stubborn = StubbornDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = stubborn
        let loader = fixture.makeLoader(configuration)
        let caller = Task { try await loader.image(for: .test()) }
        await stubborn.started.wait { $0.count == 1 }
        caller.cancel()
        // The transport has not noticed, and the caller is back.
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        // A new caller is not kept waiting for it either.
        let next = Task { try await loader.image(for: .test()) }
        await stubborn.started.wait { $0.count == 2 }
        next.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await next.value }
        stubborn.gate.open()
    }

    @Test func loadCancelledBeforeStart_causesNoRequest() async throws {
        let loader = loader
        let url = try URL.test()
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.image(for: url)
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        // Whatever it had started would come before this one.
        let other = try load("other.png")
        let call = try await fixture.transport.nextCall()
        #expect(call.request.url.path == "/other.png")
        call.answer(png)
        _ = try await other.value
        #expect(fixture.transport.callCount == 1)
    }

    @Test func loadCancelledInQueue_neverReachesTransport() async throws {
        let running = try (0..<6).map { try load("\($0).png") }
        var calls: [ScriptedDataLoader.Call] = []
        for _ in running { calls.append(try await fixture.transport.nextCall()) }
        let waiting = try load("waiting.png")
        let isQueued: @Sendable (LoadEvent) -> Bool = {
            if case .began(.queued) = $0.kind { $0.url?.path == "/waiting.png" } else { false }
        }
        await fixture.events.wait { _ in fixture.recorder.events.contains(where: isQueued) }
        waiting.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await waiting.value }
        // Whoever was told that it waits is told its end.
        await fixture.events.wait { events in
            events.contains { if case .ended(.queued, let end) = $0 { end.error == .cancelled } else { false } }
        }
        let last = try load("last.png")
        calls[0].answer(png)
        let call = try await fixture.transport.nextCall()
        #expect(call.request.url.path == "/last.png")
        call.answer(png)
        for call in calls { call.answer(png) }
        _ = try await last.value
        for caller in running { _ = try await caller.value }
        #expect(fixture.transport.callCount == 7)
    }

    @Test func cancelledTransfer_holdsItsSlot_untilItEnds() async throws {
        let stubborn = StubbornDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = stubborn
        configuration.download.maximumConcurrentDownloads = 1
        let loader = fixture.makeLoader(configuration)
        let first = Task { try await loader.image(for: .test("first.png")) }
        await stubborn.started.wait { $0.count == 1 }
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        let second = Task { try await loader.image(for: .test("second.png")) }
        await fixture.events.wait { $0.contains { if case .began(.queued) = $0 { true } else { false } } }
        #expect(stubborn.started.values.count == 1)
        stubborn.gate.open()
        await stubborn.started.wait { $0.count == 2 }
        #expect(await failure { try await second.value } == .connectionFailed)
    }

    @Test func nextCaller_triesAgain_afterAnError() async throws {
        let first = try load()
        (try await fixture.transport.nextCall()).fail(.connectionFailed(.lost, detail: "gone"))
        await #expect(throws: ImageLoaderError.connectionFailed(.lost, detail: "gone")) { try await first.value }
        let second = try load()
        try await fixture.transport.nextCall().answer(png)
        _ = try await second.value
    }

    @Test func storm_freesAllSlots_andGivesEachCallerOneOutcome() async throws {
        var random = SeededRandom(seed: 21)
        let png = png
        let server = Task { [transport = fixture.transport] in
            var number = 0
            while let call = try? await transport.nextCall() {
                number += 1
                if number % 3 == 0 { call.fail(.timedOut(.idle)); continue }
                call.respond()
                call.send(png)
                call.finish()
            }
        }
        var callers: [Task<DecodedImage, any Error>] = []
        for number in 0..<2_000 {
            callers.append(try load("\(number % 50)-\(number / 500).png"))
            if Bool.random(using: &random) { callers[Int.random(in: 0...number, using: &random)].cancel() }
            if number % 50 == 0 { await Task.yield() }
        }
        var outcomes = 0
        for caller in callers {
            switch await caller.result {
            case .success: outcomes += 1
            case .failure(ImageLoaderError.cancelled), .failure(ImageLoaderError.timedOut(.idle)): outcomes += 1
            case .failure(let error): Issue.record(error)
            }
        }
        #expect(outcomes == 2_000)
        server.cancel()
        _ = await server.result
        // As many as there are slots are under way at once.
        let last = try (0..<6).map { try load("last\($0).png") }
        for _ in last { try await fixture.transport.nextCall().answer(png) }
        for caller in last { _ = try await caller.value }
    }

    @Test func totalTimeout_endsTransfer_onLoadersClock() async throws {
        let clock = ManualClock()
        var configuration = fixture.configuration
        configuration.clock = clock
        // Its upkeep sleeps on the clock, too.
        configuration.disk = nil
        configuration.download.totalTimeout = .seconds(60)
        let loader = fixture.makeLoader(configuration)
        let caller = Task { try await loader.image(for: .test()) }
        let call = try await fixture.transport.nextCall()
        call.respond(expectedBytes: png.count)
        try await clock.sleeper(until: ManualClock.Instant(offset: .seconds(60)))
        clock.advance(by: .seconds(60))
        await #expect(throws: ImageLoaderError.timedOut(.total)) { try await caller.value }
        try await call.cancelled()
        #expect(clock.sleeperCount == 0)
    }
}
