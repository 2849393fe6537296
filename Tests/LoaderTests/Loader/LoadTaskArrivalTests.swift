import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

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
    func download_survivesLeavingCaller_whenHandleWasReturned(
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
                await loader.downloads.statistics.coalesced + loader.coalescedLoadCount <= number
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

    @Test func download_isHeld_forReturnedHandle() async throws {
        let fixture = CoordinatorFixture()
        let request = try ImageRequest.test()
        let key = FlightKey(ResourceKey(request), request)
        let early = fixture.download(request)
        let call = try await fixture.nextCall()
        let arrival = fixture.coordinator.announce(key, .normal)
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

    @Test func heldDownload_isCancelled_whenHandleNeverJoinsOrKeyIsRemoved() async throws {
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
        await fixture.until { $0.running == 0 }
    }

    @Test func heldDownload_remains_forLaterAnnouncedHandle() async throws {
        let busy = ThreadGate()
        let transport = ScriptedDataLoader()
        var settings = DownloadCoordinator.Settings()
        settings.retry = .none
        settings.response.maximumBytes = 1 << 20
        let coordinator = DownloadCoordinator(
            valid: settings, loader: transport,
            onEvent: { event in
                if case .ended(.download, _) = event.kind, event.url.path == "/busy.png" { busy.enter() }
            })
        let request = try ImageRequest.test()
        let key = FlightKey(ResourceKey(request), request)
        let early = Task { try await coordinator.download(request) }
        let call = try await transport.nextCall()
        let other = Task { try await coordinator.download(.test("busy.png")) }
        let otherCall = try await transport.nextCall()
        let first = coordinator.announce(key, .normal)
        early.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await early.value }
        // The actor is busy: it hears of the first handle's end only after the second was announced.
        otherCall.fail(.emptyBody)
        await busy.arrivals(1)
        let withdrawal = Task { await coordinator.withdraw(first) }
        while coordinator.arrivalCount > 0, !Task.isCancelled { await Task.yield() }
        let second = coordinator.announce(key, .normal)
        busy.open()
        await withdrawal.value
        await #expect(throws: ImageLoaderError.emptyBody) { try await other.value }
        let control = LoadControl(priority: .normal, arrival: second)
        let late = Task { try await coordinator.download(request, control) }
        while await coordinator.statistics.coalesced == 0, transport.callCount == 2, !Task.isCancelled {
            await Task.yield()
        }
        #expect(call.end == nil)
        #expect(transport.callCount == 2)
        late.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await late.value }
    }

    @Test func landedDownload_isRetained_forAnnouncedHandles() async throws {
        let fixture = CoordinatorFixture()
        let coordinator = fixture.coordinator
        let budget = coordinator.bodyBudget
        let request = try ImageRequest.test()
        let key = FlightKey(ResourceKey(request), request)
        let early = fixture.download(request)
        let call = try await fixture.nextCall()
        let arrivals = (0..<3).map { _ in coordinator.announce(key, .normal) }
        early.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await early.value }
        fixture.complete(call)
        await fixture.until { $0.running == 0 }
        for arrival in arrivals.dropLast() {
            let control = LoadControl(priority: .normal, arrival: arrival)
            let download = try await fixture.download(request, control: control).value
            #expect(download.body == fixture.body)
            #expect(budget.byteCount == fixture.body.count)
            download.share?.release()
        }
        #expect(budget.byteCount == fixture.body.count)
        // The last one never comes.
        await coordinator.withdraw(arrivals[2])
        #expect(budget.byteCount == 0)
        #expect(fixture.transport.callCount == 1)
        // Who was not announced asks anew, as does everyone after a removal.
        let late = fixture.download(request)
        fixture.complete(try await fixture.nextCall())
        _ = try await late.value
    }

    @Test func landedDownload_isDropped_onceRemoved() async throws {
        for all in [false, true] {
            let fixture = CoordinatorFixture()
            let request = try ImageRequest.test()
            let key = FlightKey(ResourceKey(request), request)
            let early = fixture.download(request)
            let call = try await fixture.nextCall()
            let arrival = fixture.coordinator.announce(key, .normal)
            fixture.complete(call)
            _ = try await early.value
            if all { await fixture.coordinator.retireAll() } else { await fixture.coordinator.retire(key.key) }
            let late = fixture.download(request, control: LoadControl(priority: .normal, arrival: arrival))
            fixture.complete(try await fixture.nextCall())
            _ = try await late.value
            #expect(fixture.coordinator.arrivalCount == 0)
        }
    }

    /// Its load has been at the download, which it waits for no more.
    @Test func handleSharingDecode_holdsNoDownload() async throws {
        let decoder = GatedDecoder()
        let asked = Recorder<URL>()
        var fixture = try LoaderFixture(
            ScriptedDataLoader { [png] request in
                asked.record(request.url)
                return asked.values.count == 1 ? .bytes(png) : .manual
            })
        fixture.configuration.decode.decoders = ImageDecoders([decoder])
        fixture.configuration.disk = nil
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test()
        let first = Task { try await loader.image(for: request) }
        await decoder.gate.arrivals(1)
        let handle = loader.imageTask(for: request)
        while loader.path.downloads.arrivalCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(await loader.coalescedLoadCount == 1)
        let data = Task { try await loader.data(for: request) }
        let call = try await fixture.transport.nextCall()
        data.cancel()
        try await call.cancelled()
        decoder.gate.open()
        _ = try await first.value
        _ = try await handle.value
    }

    @Test func handleLoadingFallback_holdsNothingOfFirstURL() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let loader = fixture.makeLoader()
        var request = try ImageRequest.test()
        request.fallbacks = [try .test("b.png")]
        // It joins a load that has joined the download already.
        let other = Task { try await loader.image(for: .test()) }
        let first = try await fixture.transport.nextCall()
        let task = loader.imageTask(for: request)
        await fixture.untilCoalesced(1)
        first.fail(.timedOut(.idle))
        let second = try await fixture.transport.nextCall()
        #expect(loader.path.downloads.arrivalCount == 0)
        task.cancel()
        try await second.cancelled()
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await other.value }
    }

    @Test func storm_leavesNoAnnouncedHandle_andNothingRunning() async throws {
        var random = SeededRandom(seed: Fuzz.seed)
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        let loader = fixture.makeLoader()
        var handles: [Started] = []
        for number in 0..<2_000 {
            let request = try ImageRequest.test("\(number / 100).png") { request in
                if number % 2 == 1 { (request.readPolicy, request.writePolicy) = (.reload, .nothing) }
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
        #expect(loader.path.downloads.arrivalCount == 0)
        while !Task.isCancelled, await loader.downloads.statistics.running > 0 { await Task.yield() }
    }
}
