import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct LoadTaskTests {
    private var fixture: LoaderFixture
    private let png: Data

    init() throws {
        png = try Pictures.png()
        fixture = try LoaderFixture(ScriptedDataLoader())
    }

    private func head() throws -> ResponseHead {
        ResponseHead(status: 200, url: try .test(), expectedBytes: png.count)
    }

    private func wholeLoad() throws -> [DownloadEvent] {
        [
            .started(attempt: 1), .response(try head()), .progress(received: png.count, expected: png.count),
            .ended(error: nil),
        ]
    }

    private func all(_ events: some AsyncSequence<DownloadEvent, Never>) async -> [DownloadEvent] {
        var all: [DownloadEvent] = []
        for await event in events { all.append(event) }
        return all
    }

    // MARK: Events

    @Test func events_areOrdered_andEndWithLoad() async throws {
        let task = fixture.makeLoader().imageTask(for: try .test())
        var events = task.events.makeAsyncIterator()
        let call = try await fixture.transport.nextCall()
        #expect(await events.next() == .started(attempt: 1))
        call.respond(expectedBytes: png.count)
        #expect(await events.next() == .response(try head()))
        call.send(png.prefix(20))
        #expect(await events.next() == .progress(received: 20, expected: png.count))
        call.send(png.dropFirst(20))
        #expect(await events.next() == .progress(received: png.count, expected: png.count))
        call.finish()
        #expect(await events.next() == .ended(error: nil))
        #expect(await events.next() == nil)
        #expect(try await task.value.source == .network)
        #expect(try await task.image.size == PixelSize(width: 8, height: 6))
    }

    @Test func lateSequence_startsFromPresentState_evenAfterEnd() async throws {
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        call.respond(expectedBytes: png.count)
        for byte in png.prefix(10) { call.send(Data([byte])) }
        try await call.delivered()
        var late = task.events.makeAsyncIterator()
        #expect(await late.next() == .started(attempt: 1))
        #expect(await late.next() == .response(try head()))
        #expect(await late.next() == .progress(received: 10, expected: png.count))
        call.send(png.dropFirst(10))
        call.finish()
        _ = try await task.value
        #expect(await all(task.events) == (try wholeLoad()))
    }

    @Test func twoSequences_eachDeliverAllEvents() async throws {
        let task = fixture.makeLoader().dataTask(for: try .test())
        async let first = all(task.events)
        async let second = all(task.events)
        let call = try await fixture.transport.nextCall()
        // Whole in one step, so that neither can be told of a part.
        call.answer(png)
        let kinds = try wholeLoad()
        #expect(await first.suffix(2) == kinds.suffix(2))
        #expect(await second.suffix(2) == kinds.suffix(2))
        #expect(await first.first == kinds.first)
        #expect(await second.first == kinds.first)
    }

    @Test func cachedOrLocalImage_hasNoEvents() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        let request = try ImageRequest.test()
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request)
        await loader.flush()
        let file = fixture.temporary.url.appendingPathComponent("a.png")
        try png.write(to: file)
        let again = fixture.makeLoader()
        for (task, source) in [
            (loader.imageTask(for: request), ImageSource.memory), (again.imageTask(for: request), .disk),
            (again.imageTask(for: ImageRequest(url: file)), .local),
        ] {
            #expect(await all(task.events) == [])
            #expect(try await task.value.source == source)
        }
    }

    @Test func failure_isLastEvent_andThrown() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(500) })
        let task = fixture.makeLoader().imageTask(for: try .test())
        await #expect(throws: ImageLoaderError.badStatus(500)) { try await task.value }
        #expect(await all(task.events).last == .ended(error: .badStatus(500)))
    }

    @Test func unsentFallbacks_areReportedAsEnds() async throws {
        var fixture = fixture
        let gate = Recorder<String>()
        fixture.configuration.download.prepare = RequestPreparation(id: "test") { request in
            let path = request.url.path
            guard path != "/first.png" else { return }
            await gate.wait { $0.contains(path) }
            throw Refusal(path: path)
        }
        let task = fixture.makeLoader().imageTask(
            for: try .test("first.png") { $0.fallbacks = [try .test("second.png"), try .test("third.png")] })
        var events = task.events.makeAsyncIterator()
        (try await fixture.transport.nextCall()).respond(status: 404)
        #expect(await events.next() == .started(attempt: 1))
        #expect(await events.next() == .ended(error: .badStatus(404)))
        for path in ["/second.png", "/third.png"] {
            gate.record(path)
            #expect(await events.next() == .ended(error: .prepareFailed(UnderlyingError(Refusal(path: path)))))
        }
        #expect(await events.next() == nil)
    }

    private struct Refusal: Error {
        let path: String
    }

    @Test func joiner_receivesEventsOfSharedDownload() async throws {
        let loader = fixture.makeLoader()
        let first = loader.imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        let second = loader.imageTask(for: try .test())
        await fixture.untilCoalesced(1)
        call.answer(png)
        _ = try await (first.value, second.value)
        #expect(await all(second.events) == (try wholeLoad()))
    }

    @Test func cancelledReader_endsAlone() async throws {
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        let reader = Task { await all(task.events) }
        reader.cancel()
        _ = await reader.value
        call.answer(png)
        _ = try await task.value
    }

    // MARK: Value

    @Test func value_mayBeReadTwice() async throws {
        let task = fixture.makeLoader().imageTask(for: try .test())
        async let early = task.value.image.bitmap
        try await fixture.transport.nextCall().answer(png)
        let bitmap = try await early
        #expect(try await task.value.image.bitmap === bitmap)
        #expect(fixture.transport.callCount == 1)
    }

    @Test(arguments: [false, true])
    func imageInMemory_isThere_whenTheHandleIs(_ hasFallback: Bool) async throws {
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test { if hasFallback { $0.fallbacks = [try .test("other.png")] } }
        async let loaded = loader.image(for: request)
        try await fixture.transport.nextCall().answer(png)
        let bitmap = try await loaded.bitmap
        let task = loader.imageTask(for: request)
        #expect(try task.result?.get().source == .memory)
        #expect(try await task.value.image.bitmap === bitmap)
        #expect(await all(task.events) == [])
        #expect(loader.downloads.flights.count == 0)
    }

    @Test func invalidRequest_fails_whenTheHandleIsMade() throws {
        let url = try #require(URL(string: "ftp://host.test/a.png"))
        let task = fixture.makeLoader().imageTask(for: ImageRequest(url: url))
        #expect(throws: ImageLoaderError.unsupportedScheme("ftp")) { try task.result?.get() }
        #expect(task.result != nil)
    }

    /// The thread may be that of a view. It is one of the pool here, because a load would begin on that.
    @Test func nothingBegins_onTheThreadThatMakesTheHandle() async throws {
        let (mark, isHere) = (ThreadMark(), Recorder<Bool>())
        let fixture = try LoaderFixture(
            ScriptedDataLoader { [png] _ in
                isHere.record(mark.isHere)
                return .bytes(png)
            })
        let (loader, request) = (fixture.makeLoader(), try ImageRequest.test())
        _ = try await Task.detached { mark { loader.imageTask(for: request) } }.value.value
        #expect(isHere.values == [false])
    }

    @Test func dataTask_returnsBytes() async throws {
        let task = fixture.makeLoader().dataTask(for: try .test())
        try await fixture.transport.nextCall().answer(png)
        #expect(try await task.value == png)
        #expect(await all(task.events) == (try wholeLoad()))
    }

    // MARK: Cancelling

    @Test func cancel_endsLoad_andTransport() async throws {
        let loader = fixture.makeLoader()
        let tasks = [loader.imageTask(for: try .test()), loader.imageTask(for: try .test())]
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(1)
        tasks[0].cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await tasks[0].value }
        #expect(!call.isCancelled)
        tasks[1].cancel()
        try await call.cancelled()
        await #expect(throws: ImageLoaderError.cancelled) { try await tasks[1].value }
        tasks[1].cancel()
    }

    @Test(arguments: [false, true]) func cancelledHandle_hasItsResultAtOnce(_ hasFallback: Bool) throws {
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: try .test { if hasFallback { $0.fallbacks = [try .test("other.png")] } })
        #expect(task.result == nil)
        task.cancel()
        #expect(throws: ImageLoaderError.cancelled) { try task.result?.get() }
        #expect(task.result != nil)
    }

    @Test func cancellingWaitingTask_cancelsLoad() async throws {
        let loader = fixture.makeLoader()
        let image = loader.imageTask(for: try .test("image.png"))
        let data = loader.dataTask(for: try .test("data.png"))
        let calls = [try await fixture.transport.nextCall(), try await fixture.transport.nextCall()]
        let waiting = [Task { _ = try await image.value }, Task { _ = try await data.value }]
        for task in waiting { task.cancel() }
        for call in calls { try await call.cancelled() }
        for task in waiting { await #expect(throws: ImageLoaderError.cancelled) { try await task.value } }
    }

    @Test func droppingHandle_doesNotCancel() async throws {
        weak let handle = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        #expect(handle == nil)
        call.answer(png)
        await fixture.events.wait { $0.contains { if case .loaded = $0 { true } else { false } } }
        #expect(call.end == .finished)
    }

    // MARK: Priority

    @Test func raisedPriority_reachesQueuedDownload() async throws {
        var fixture = fixture
        // Low priorities take one of the two slots, so one that is raised starts at once.
        fixture.configuration.download.maximumConcurrentDownloads = 2
        let loader = fixture.makeLoader()
        func low(_ path: String) throws -> ImageRequest { try .test(path) { $0.priority = .low } }
        let first = loader.imageTask(for: try low("first.png"))
        let call = try await fixture.transport.nextCall()
        let waiting = try ["image.png", "other.png"].map { loader.imageTask(for: try low($0)) }
        let data = loader.dataTask(for: try low("data.png"))
        await fixture.events.wait { $0.count { if case .began(.queued) = $0 { true } else { false } } >= 3 }

        waiting[1].priority = .high
        #expect(waiting[1].priority == .high)
        let raised = try await fixture.transport.nextCall()
        #expect(raised.request.url.path == "/other.png")
        raised.answer(png)
        _ = try await waiting[1].value
        data.priority = .veryHigh
        let next = try await fixture.transport.nextCall()
        #expect(next.request.url.path == "/data.png")
        for call in [next, call] { call.answer(png) }
        try await fixture.transport.nextCall().answer(png)
        _ = try await (first.value, waiting[0].value, data.value)
    }

    @Test func raisedPriority_reachesQueuedDecode() async throws {
        let (png, decoder) = (png, GatedDecoder())
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
        fixture.configuration.decode.maximumConcurrentDecodes = 1
        fixture.configuration.decode.decoders = ImageDecoders([decoder])
        let loader = fixture.makeLoader()
        let gate = loader.path.decoding
        let first = loader.imageTask(for: try .test("first.png"))
        await decoder.gate.arrivals(1)
        let second = loader.imageTask(for: try .test("second.png"))
        while !Task.isCancelled, gate.counts.next != .normal { await Task.yield() }
        second.priority = .high
        while !Task.isCancelled, gate.counts.next != .high { await Task.yield() }
        decoder.gate.open()
        _ = try await (first.value, second.value)
    }

    // MARK: Memory

    @Test func endedHandle_retainsNothingOfLoader() async throws {
        let temporary = try TemporaryDirectory()
        let task: LoadTask<ImageResponse>
        weak var heldLoader: ImageLoader?
        weak var heldTransport: ScriptedDataLoader?
        do {
            let transport = ScriptedDataLoader { [png] _ in .bytes(png) }
            var configuration = ImageLoader.Configuration()
            configuration.disk = .init(directory: temporary.url)
            configuration.dataLoader = transport
            let loader = ImageLoader(configuration)
            task = loader.imageTask(for: try .test())
            (heldLoader, heldTransport) = (loader, transport)
            _ = try await task.value
            await loader.flush()
        }
        // What resumed this Task lets go a moment later.
        while !Task.isCancelled, heldLoader != nil || heldTransport != nil { await Task.yield() }
        #expect(heldLoader == nil && heldTransport == nil)
        #expect(await all(task.events).count == 4)
    }
}
