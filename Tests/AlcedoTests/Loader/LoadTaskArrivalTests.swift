import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// A handle counts as a waiter from the moment it is returned.
@Suite(.timeLimit(.minutes(1))) struct LoadTaskArrivalTests {
    private let png: Data

    init() throws { png = try Pictures.png() }

    /// The first call of each URL is the test's to drive; later ones are answered at once.
    private func fixture() throws -> LoaderFixture {
        let asked = Recorder<URL>()
        return try LoaderFixture(
            ScriptedDataLoader { [png] request in
                asked.record(request.url)
                return asked.values.count { $0 == request.url } == 1 ? .manual : .bytes(png)
            })
    }

    enum Kind: CaseIterable { case image, data }

    private func start(_ kind: Kind, _ request: ImageRequest, on loader: ImageLoader) -> Started {
        switch kind {
        case .image:
            let task = loader.imageTask(for: request)
            return Started(cancel: { task.cancel() }) { _ = try await task.value }
        case .data:
            let task = loader.dataTask(for: request)
            return Started(cancel: { task.cancel() }) { _ = try await task.value }
        }
    }

    private struct Started {
        let cancel: @Sendable () -> Void
        let finish: @Sendable () async throws -> Void
    }

    /// Depends on which Task runs first, so each pair is tried often.
    @Test(arguments: Kind.allCases, Kind.allCases)
    func aDownload_outlivesTheCallerThatLeaves_rightAfterAnotherHandleWasReturned(
        early: Kind, late: Kind
    ) async throws {
        let fixture = try fixture()
        let loader = fixture.makeLoader()
        let tries = 150
        for number in 0..<tries {
            let request = try ImageRequest.test("\(number).png")
            let first = start(early, request, on: loader)
            let call = try await fixture.transport.nextCall()
            let second = start(late, request, on: loader)
            first.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await first.finish() }
            // The second one shares the download, or has started another.
            while !Task.isCancelled, fixture.transport.callCount == number + 1,
                await loader.downloadStatistics.coalesced <= number
            {
                await Task.yield()
            }
            call.respond(expectedBytes: png.count)
            call.send(png)
            call.finish()
            try await second.finish()
        }
        #expect(fixture.transport.callCount == tries)
    }

    @Test func aDownload_isHeld_forAHandleThatWasReturned() async throws {
        let fixture = CoordinatorFixture()
        let request = try ImageRequest.test()
        let key = FlightKey(ResourceKey(request), request)
        let early = fixture.download(request)
        let call = try await fixture.nextCall()
        let arrival = Arrival(download: fixture.coordinator.announce(key, .normal))
        early.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await early.value }
        // The Task of the handle comes only now.
        let late = fixture.download(request, control: LoadControl(priority: .normal, arrival: arrival))
        await fixture.until { $0.coalesced == 1 || $0.started == 2 }
        #expect(fixture.coordinator.arrivalCount == 0)
        fixture.complete(call)
        #expect(try await late.value.body == fixture.body)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func aHeldDownload_isCancelled_whenTheHandleNeverJoins_orItIsRemoved() async throws {
        let fixture = CoordinatorFixture()
        let coordinator = fixture.coordinator
        let request = try ImageRequest.test()
        let key = FlightKey(ResourceKey(request), request)
        var arrivals: [ArrivalID] = []
        for end in [
            { await coordinator.withdraw($0) }, { _ in await coordinator.retire(key.key) },
            { _ in await coordinator.retireAll() },
        ] as [(ArrivalID) async -> Void] {
            let early = fixture.download(request)
            let call = try await fixture.nextCall()
            let arrival = coordinator.announce(key, .normal)
            arrivals.append(arrival)
            early.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await early.value }
            #expect(call.end == nil)
            await end(arrival)
            try await call.cancelled()
        }
        for arrival in arrivals { await coordinator.withdraw(arrival) }
        #expect(coordinator.arrivalCount == 0)
        await fixture.until { $0.inFlight == 0 }
    }

    @Test func aHandleWhoseFallbackIsLoaded_holdsNothingOfTheFirstURL() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let loader = fixture.makeLoader()
        var request = try ImageRequest.test()
        request.fallbacks = [try .test("b.png")]
        // It joins a load that has joined the download already.
        let other = Task { try await loader.image(for: .test()) }
        let first = try await fixture.transport.nextCall()
        let task = loader.imageTask(for: request)
        await fixture.untilCoalesced(1)
        #expect(loader.path.downloads.arrivalCount == 1)
        first.fail(.timedOut(.idle))
        let second = try await fixture.transport.nextCall()
        #expect(loader.path.flights.arrivalCount == 0)
        #expect(loader.path.downloads.arrivalCount == 0)
        task.cancel()
        try await second.cancelled()
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await other.value }
    }

    @Test func afterAStorm_noHandleIsAnnounced_andNothingRuns() async throws {
        var random = SeededRandom(seed: Fuzz.seed)
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        let loader = fixture.makeLoader()
        var handles: [Started] = []
        for number in 0..<2_000 {
            let request = try ImageRequest.test("\(number / 100).png") { request in
                request.cachePolicy = [.useCaches, .bypass][number % 2]
                if number % 5 == 0 { request.fallbacks = [try .test("404")] }
            }
            handles.append(start(Bool.random(using: &random) ? .image : .data, request, on: loader))
            if Bool.random(using: &random) { handles[Int.random(in: 0...number, using: &random)].cancel() }
            if number % 50 == 0 { await Task.yield() }
        }
        var outcomes = 0
        for handle in handles {
            do {
                try await handle.finish()
            } catch {
                #expect(error as? ImageLoaderError == .cancelled)
            }
            outcomes += 1
        }
        #expect(outcomes == 2_000)
        #expect(loader.path.flights.arrivalCount == 0)
        #expect(loader.path.downloads.arrivalCount == 0)
        while !Task.isCancelled, await loader.downloadStatistics.inFlight > 0 { await Task.yield() }
    }
}
