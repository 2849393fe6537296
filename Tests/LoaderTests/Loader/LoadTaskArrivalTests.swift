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

    /// Two sizes of one picture, of which the disk has a stale file with a validator.
    private func loadsOfStalePicture(
        answer: (ScriptedDataLoader.Call) -> Void
    ) async throws -> [ImageResponse] {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let first = fixture.makeLoader()
        let stored = Task { try await first.image(for: .test()) }
        let call = try await transport.nextCall()
        call.respond(headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0, stale-if-error=60"])
        call.send(png)
        call.finish()
        _ = try await stored.value
        await first.flush()
        let loader = fixture.makeLoader()
        let whole = try ImageRequest.test()
        let tasks = [loader.imageTask(for: whole)]
        let question = try await transport.nextCall()
        let small = loader.imageTask(for: try .test { $0.targetSize = PixelSize(width: 8, height: 8) })
        while await loader.downloads.statistics.coalesced == 0, !Task.isCancelled { await Task.yield() }
        answer(question)
        let responses = try await [tasks[0].value, small.value]
        #expect(transport.callCount == 2)
        return responses
    }

    @Test func confirmation_servesAllSizes() async throws {
        let responses = try await loadsOfStalePicture {
            $0.respond(status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
            $0.finish()
        }
        #expect(responses.map(\.source) == [.disk, .disk])
        #expect(responses.allSatisfy { !$0.isStale })
    }

    @Test func failure_letsAllSizesUseTheStaleFile() async throws {
        let responses = try await loadsOfStalePicture { $0.fail(.timedOut(.idle)) }
        #expect(responses.map(\.staleReason) == [.afterError, .afterError])
    }

    private func joinCurrent(
        _ coordinator: DownloadCoordinator, _ key: FlightKey<ResourceKey>, _ caller: ResourceFlights.Caller
    ) -> LoadControl.Change? {
        coordinator.flights.joinCurrent(key, caller, priority: .normal)
    }

    /// The other loader has no disk cache, so that its download says nothing about this one's.
    @Test func downloadOfAnotherLoader_isNotWaitedFor_whenTheDiskHasTheImage() async throws {
        let transport = ScriptedDataLoader()
        let downloads = DownloadCoordinator(dataLoader: transport)
        var configuration = ImageLoader.Configuration()
        configuration.disk = try LoaderFixture(transport).configuration.disk
        let earlier = ImageLoader(configuration, downloads: downloads)
        let stored = Task { try await earlier.image(for: .test()) }
        try await transport.nextCall().answer(png, headers: ["Cache-Control": "max-age=3600"])
        _ = try await stored.value
        await earlier.flush()
        var withoutDisk = configuration
        withoutDisk.disk = nil
        let other = ImageLoader(withoutDisk, downloads: downloads).imageTask(for: try .test())
        let call = try await transport.nextCall()
        let loader = ImageLoader(configuration, downloads: downloads)
        #expect(try await loader.response(for: .test()).source == .disk)
        other.cancel()
        try await call.cancelled()
    }

    /// One whose bytes aren't stored doesn't keep another one's from the disk.
    @Test func downloadSharedByASmallerImage_isStoredForTheOther() async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let loader = fixture.makeLoader()
        let whole = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        let small = loader.imageTask(
            for: try .test { ($0.targetSize, $0.writePolicy) = (PixelSize(width: 8, height: 8), .memoryOnly) })
        call.answer(png, headers: ["Cache-Control": "max-age=3600"])
        _ = try await (whole.value, small.value)
        await loader.flush()
        #expect(await loader.diskEntry(for: try .test()) != nil)
        #expect(loader.cachedImage(for: try ImageRequest.test()) != nil)
        #expect(transport.callCount == 1)
    }

    /// A caller that has joined early and doesn't need the download gives back its bytes.
    @Test func earlyCaller_givesBackItsShare() async throws {
        let fixture = CoordinatorFixture()
        let (coordinator, request) = (fixture.coordinator, try ImageRequest.test())
        let key = FlightKey(ResourceKey(request), request, in: ObjectIdentifier(coordinator))
        for leavesFirst in [true, false] {
            let first = fixture.download(request)
            let call = try await fixture.nextCall()
            let early = ResourceFlights.Caller()
            #expect(joinCurrent(coordinator, key, early) != nil)
            if leavesFirst { coordinator.leave(early) }
            fixture.complete(call)
            let download = try await first.value
            if !leavesFirst { coordinator.leave(early) }
            #expect(coordinator.bodyBudget.byteCount == fixture.body.count)
            download.share?.release()
            #expect(coordinator.bodyBudget.byteCount == 0)
        }
    }

    @Test func noCaller_joinsEarly_withoutADownload() throws {
        let coordinator = CoordinatorFixture().coordinator
        let request = try ImageRequest.test()
        let key = FlightKey(ResourceKey(request), request, in: ObjectIdentifier(coordinator))
        #expect(joinCurrent(coordinator, key, .init()) == nil)
        #expect(coordinator.flights.count == 0)
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
        task.cancel()
        try await second.cancelled()
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await other.value }
    }

    @Test func storm_leavesNothingRunning() async throws {
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
        while !Task.isCancelled, loader.downloads.flights.count + loader.path.flights.count > 0 { await Task.yield() }
        #expect(await loader.downloads.statistics.running == 0)
    }
}
