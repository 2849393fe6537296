import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ImageBatchTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let png: Data

    init() throws {
        fixture = try LoaderFixture(transport)
        png = try Pictures.png()
    }

    private func requests(_ count: Int) throws -> [ImageRequest] {
        try (0..<count).map { ImageRequest(url: try .test("\($0).png")) }
    }

    /// The calls for the first requests, in the order of these.
    private func calls(_ count: Int) async throws -> [ScriptedDataLoader.Call] {
        var calls: [ScriptedDataLoader.Call] = []
        for _ in 0..<count { calls.append(try await transport.nextCall()) }
        return calls.sorted { $0.request.url.path < $1.request.url.path }
    }

    @Test(arguments: ImageBatch.Order.allCases)
    func elements_comeInTheOrderAskedFor(order: ImageBatch.Order) async throws {
        let loader = fixture.makeLoader()
        let requests = try requests(3)
        let read = Recorder<Int>()
        let reading = Task {
            for await element in loader.images(for: requests, order: order) {
                #expect(element.request == requests[element.index] && (try? element.result.get()) != nil)
                read.record(element.index)
            }
        }
        let calls = try await calls(3)
        calls[2].answer(png)
        if order == .asLoaded { await read.wait { $0 == [2] } }
        calls[0].answer(png)
        await read.wait { $0 == (order == .asLoaded ? [2, 0] : [0]) }
        calls[1].answer(png)
        await reading.value
        #expect(read.values == (order == .asLoaded ? [2, 0, 1] : [0, 1, 2]))
    }

    @Test func failure_doesNotEndTheOthers() async throws {
        let loader = fixture.makeLoader()
        let requests = try requests(3)
        async let results = loader.images(for: requests, order: .asRequested).reduce(into: []) { $0.append($1.result) }
        let calls = try await calls(3)
        calls[1].answer(status: 404)
        for place in [0, 2] { calls[place].answer(png) }
        let all = await results
        #expect(all.count == 3 && (try? all[0].get()) != nil && (try? all[2].get()) != nil)
        #expect(throws: ImageLoaderError.badStatus(404)) { try all[1].get() }
    }

    /// Each but one arrives in two parts, and ends before the reader asks for it.
    @Test func slowReader_getsTheResults_inTheOrderOfTheirEnds() async throws {
        let png = png
        let transport = ScriptedDataLoader { $0.url.path == "/3.png" ? .bytes(png) : .manual }
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        var images = ImageLoader(configuration).images(for: try requests(4)).makeAsyncIterator()
        var order = [await images.next()?.index]
        for place in [2, 0, 1] {
            let call = try await transport.nextCall(for: .test("\(place).png"))
            call.respond(expectedBytes: png.count)
            for part in [png.prefix(10), png.dropFirst(10)] {
                call.send(part)
                try await call.delivered()
            }
            call.finish()
            let load = try #require(images.loads[place])
            _ = try await load.task.value
        }
        for _ in 0..<4 { order.append(await images.next()?.index) }
        #expect(order == [3, 2, 0, 1, nil] && images.loads.isEmpty)
    }

    /// No more loads are started than elements were taken, but for the limit.
    @Test(arguments: ImageBatch.Order.allCases)
    func slowReader_stopsTheStartOfMore(order: ImageBatch.Order) async throws {
        let png = png
        let transport = ScriptedDataLoader { _ in .bytes(png) }
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration)
        var taken = 0
        for await _ in loader.images(for: try requests(20), order: order, limit: 3) {
            taken += 1
            await loader.path.flights.ended { flight, _ in flight.hasLanded }
            #expect(transport.callCount <= taken + 2)
        }
        #expect(taken == 20 && transport.callCount == 20)
    }

    @Test(arguments: [false, true])
    func loads_areCancelled_withTheirReader(isDropped: Bool) async throws {
        let loader = fixture.makeLoader()
        let requests = try requests(3)
        let read = Task {
            for await _ in loader.images(for: requests) where isDropped { break }
        }
        let calls = try await calls(3)
        if isDropped { calls[0].answer(png) } else { read.cancel() }
        await read.value
        for call in calls.dropFirst(isDropped ? 1 : 0) { try await call.cancelled() }
    }

    /// Reads elements from several Tasks.
    private actor Reader {
        private var iterator: ImageBatch.Iterator

        init(_ batch: ImageBatch) { iterator = batch.makeAsyncIterator() }

        func next() async -> ImageBatch.Element? {
            var iterator = iterator
            let element = await iterator.next()
            self.iterator = iterator
            return element
        }
    }

    @Test func endedBatch_hasNoMoreElements() async throws {
        let png = png
        var configuration = fixture.configuration
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(png) }
        let reader = Reader(ImageLoader(configuration).images(for: try requests(3), limit: 1))
        #expect(await reader.next()?.index == 0)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await reader.next()
        }
        #expect(await cancelled.value == nil)
        #expect(await reader.next() == nil)
    }

    @Test func emptyBatch_endsAtOnce_andNothingIsLoadedBeforeItIsRead() async throws {
        let loader = fixture.makeLoader()
        for await _ in loader.images(for: []) { Issue.record("an element of nothing") }
        _ = loader.images(for: try requests(3), limit: 1).makeAsyncIterator()
        await loader.path.flights.ended { flight, _ in flight.hasLanded }
        #expect(transport.callCount == 0)
    }

    @Test func limitBelowOne_isRefused() async {
        await #expect(processExitsWith: .failure) {
            _ = ImageLoader().images(for: [], limit: 0)
        }
    }
}
