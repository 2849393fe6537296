import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The caches after the image that a processor works on was replaced or removed, and after intermediate results.
@Suite(.timeLimit(.minutes(1))) struct ProcessedInputTests {
    private let origin: ChangingOrigin
    private var fixture: LoaderFixture
    private let runs = CountingProcessor.Runs()

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ contents: DiskContents?, _ decoder: GatedDecoder? = nil) -> ImageLoader {
        var configuration = fixture.configuration
        if let decoder { configuration.decode.decoders = ImageDecoders([decoder]) }
        if let contents { configuration.disk?.contents = contents } else { configuration.disk = nil }
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(
        _ numbers: Int..., side: Int? = nil, policy: CacheReadPolicy? = nil
    ) throws -> ImageRequest {
        try .test("a.png") {
            $0.processors = numbers.map { CountingProcessor($0, runs) }
            $0.targetSize = side.map { PixelSize(width: $0, height: $0) }
            $0.readPolicy = policy
        }
    }

    private func replacePicture() { origin.change { $0.widths["/a.png"] = 44 } }

    private struct Broken: Error {}

    /// Each run records that it has begun and waits for a step.
    private func holdRuns(until step: String) -> Recorder<String> {
        let steps = Recorder<String>()
        runs.gate.withLock {
            $0 = { _ in
                steps.record("begun")
                while !steps.values.contains(step) { sched_yield() }
            }
        }
        return steps
    }

    // MARK: Replaced

    @Test(arguments: [nil, DiskContents.originals, .processed])
    func pictureReplacedDuringProcessing_isNotStoredAsTheNewOne(contents: DiskContents?) async throws {
        let loader = loader(contents)
        _ = try await loader.image(for: request())
        let steps = holdRuns(until: "replaced")
        let old = Task { try await loader.image(for: request(1)) }
        await steps.wait { $0 == ["begun"] }
        replacePicture()
        #expect(try await loader.image(for: request(policy: .reload)).size.width == 44)
        steps.record("replaced")
        #expect(try await old.value.size.width == 40)
        runs.gate.withLock { $0 = nil }
        #expect(try await loader.image(for: request(1)).size.width == 44)
        await loader.flush()
        #expect(try await self.loader(contents).image(for: request(1)).size.width == 44)
    }

    @Test(arguments: [nil, DiskContents.originals, .processed])
    func loadAfterAReplacement_joinsNoOlderInput(contents: DiskContents?) async throws {
        let loader = loader(contents)
        let steps = holdRuns(until: "joined")
        let old = Task { try await loader.image(for: request(1)) }
        await steps.wait { $0 == ["begun"] }
        replacePicture()
        #expect(try await loader.image(for: request(policy: .reload)).size.width == 44)
        let new = try loader.imageTask(for: request(1, 2))
        steps.record("joined")
        #expect(try await old.value.size.width == 40)
        #expect(try await new.image.size.width == 44)
        runs.gate.withLock { $0 = nil }
        #expect(try await loader.image(for: request(1, 2)).size.width == 44)
        #expect(try loader.cachedImage(for: request())?.size.width == 44)
        await loader.flush()
        #expect(try await self.loader(contents).image(for: request(1, 2)).size.width == 44)
    }

    /// Without tags, it isn't known that the pictures differ.
    @Test(arguments: [nil, DiskContents.originals, .processed], [true, false])
    func reload_replacesWhatTheCachesHave(contents: DiskContents?, hasTags: Bool) async throws {
        origin.change { $0.hasTags = hasTags }
        let loader = loader(contents)
        _ = try await loader.image(for: request())
        _ = try await loader.image(for: request(2))
        await loader.flush()
        replacePicture()
        #expect(try await loader.image(for: request(1, policy: .reload)).size.width == 44)
        let again = try await loader.response(for: request(1))
        #expect(again.source == .memory && again.image.size.width == 44)
        #expect(try await loader.image(for: request()).size.width == 44)
        #expect(try await loader.image(for: request(2)).size.width == 44)
        await loader.flush()
        let second = self.loader(contents)
        let found = try await second.response(for: request(1))
        #expect(found.source == (contents == nil ? .network : .disk) && found.image.size.width == 44)
    }

    @Test func failedProcessor_stillReplacesTheBytes() async throws {
        let loader = loader(.originals)
        _ = try await loader.image(for: request())
        replacePicture()
        runs.gate.withLock { $0 = { _ in throw Broken() } }
        await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request(1, policy: .reload)) }
        #expect(try await loader.response(for: request()).image.size.width == 44)
        #expect(origin.requestCount == 2)
    }

    @Test func errorOfAProcessor_isNotRememberedOfTheURL() async throws {
        var fixture = fixture
        fixture.configuration.download.failureLifetimes = FailureLifetimes()
        fixture.configuration.disk = nil
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request(1))
        origin.pass(61)
        replacePicture()
        runs.gate.withLock { $0 = { _ in throw ImageLoaderError.unsupportedImage(.png, reason: "of a processor") } }
        await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request(1)) }
        #expect(try await loader.image(for: request()).size.width == 44)
    }

    @Test(arguments: [nil, DiskContents.processed])
    func removalDuringProcessing_outlastsIt(contents: DiskContents?) async throws {
        let loader = loader(contents)
        let steps = holdRuns(until: "removed")
        let image = Task { try await loader.image(for: request(1)) }
        await steps.wait { $0 == ["begun"] }
        await loader.remove(try request())
        steps.record("removed")
        #expect(try await image.value.size.width == 40)
        await loader.flush()
        #expect(await !loader.contains(try request(1)))
    }

    @Test func cachedOnly_processesWhatIsThere() async throws {
        let loader = loader(.originals)
        await #expect(throws: ImageLoaderError.notCached) {
            try await loader.image(for: request(1, policy: .cachedOnly))
        }
        _ = try await loader.image(for: request())
        await loader.flush()
        #expect(try await loader.image(for: request(1, policy: .cachedOnly)).size.width == 40)
        #expect(try await self.loader(.originals).image(for: request(1, 2, policy: .cachedOnly)).size.width == 40)
        #expect(origin.requestCount == 1)
    }

    // MARK: Intermediate results and sizes

    @Test(arguments: [DiskContents.processed, .both])
    func onlyTheLastResult_isStoredOnDisk(contents: DiskContents) async throws {
        for side in [nil, 20] {
            let loader = loader(contents)
            _ = try await loader.image(for: request(1, 2, side: side))
            await loader.flush()
            let entries = await loader.diskCache?.entries().map(\.isProcessed) ?? []
            #expect(entries.sorted { !$0 && $1 } == (contents == .both ? [false, true] : [true]))
            await loader.removeAll()
        }
    }

    @Test(arguments: [true, false])
    func callerThatJoinsAnIntermediateResultAsItIsMade_findsItInMemoryLater(isLocal: Bool) async throws {
        let processing = ThreadGate()
        runs.gate.withLock { $0 = { _ in processing.enter() } }
        try await join([1], asItIsMadeFor: [1, 2], isLocal, loader(nil), madeAt: processing)
        #expect(runs.all == [1, 2])
    }

    @Test(arguments: [true, false])
    func callerThatJoinsAnOriginalAsItIsMade_findsItInMemoryLater(isLocal: Bool) async throws {
        let decoder = GatedDecoder()
        try await join([], asItIsMadeFor: [1], isLocal, loader(nil, decoder), madeAt: decoder.gate)
        #expect(runs.all == [1] && decoder.count == 1)
    }

    @Test(arguments: [DiskContents.originals, .processed, .both])
    func callerThatJoinsAnOriginalAsItIsMade_findsItOnDiskLater(contents: DiskContents) async throws {
        let decoder = GatedDecoder()
        let loader = loader(contents, decoder)
        try await join([], asItIsMadeFor: [1], false, loader, madeAt: decoder.gate)
        try await expectOriginalOnDisk(of: loader, contents, decoder)
    }

    /// Expects the original and, as configured, what the first processor made of it.
    private func expectOriginalOnDisk(of loader: ImageLoader, _ contents: DiskContents, _ decoder: GatedDecoder)
        async throws
    {
        await loader.flush()
        let entries = await loader.diskCache?.entries().map(\.isProcessed) ?? []
        #expect(entries.sorted { !$0 && $1 } == (contents == .originals ? [false] : [false, true]))
        let found = try await self.loader(contents, decoder).response(for: request(policy: .cachedOnly))
        #expect(found.source == .disk && found.image.size.width == 40 && origin.requestCount == 1)
    }

    /// Requests what the processors of `late` make while it is made as the input of another load.
    ///
    /// - Parameter gate: Held while the input is made.
    private func join(
        _ late: [Int], asItIsMadeFor early: [Int], _ isLocal: Bool, _ loader: ImageLoader, madeAt gate: ThreadGate
    ) async throws {
        let file = try Pictures.png(40, 30)
        let requests = try [early, late].map { numbers in
            var request = isLocal ? ImageRequest(data: file, id: "mine") : try self.request()
            request.processors = numbers.map { CountingProcessor($0, runs) }
            return request
        }
        let first = Task { try await loader.image(for: requests[0]) }
        await gate.arrivals(1)
        let joiner = loader.imageTask(for: requests[1])
        gate.open()
        let image = try await joiner.image
        #expect(loader.cachedImage(for: requests[1])?.bitmap === image.bitmap)
        _ = try await first.value
    }

    /// They are shown to callers that accept them, and only to those.
    @Test(arguments: [nil, DiskContents.originals, .processed], ImageRequest.Precision.allCases)
    func largerImagesInMemory_areNoInput(contents: DiskContents?, precision: ImageRequest.Precision) async throws {
        let loader = loader(contents)
        for side in [nil, 30] { _ = try await loader.image(for: request(side: side)) }
        var plain = try request(side: 20)
        plain.precision = .atLeast
        #expect(loader.cachedImage(for: plain)?.size.width == 30)
        for var request in try [request(1, 2, side: 20), request(3, side: 20)] {
            request.precision = precision
            #expect(loader.cachedImage(for: request) == nil)
            #expect(try await loader.image(for: request).size == PixelSize(width: 20, height: 15))
        }
        #expect(runs.all == [1, 2, 3])
        // Their input wasn't asked for.
        #expect(try loader.cachedImage(for: request(side: 20)) == nil)
    }

    @Test func resultThatIsTooLarge_isRefusedBeforeAnythingIsLoaded() async throws {
        var request = try request()
        let size = PixelSize(width: .max, height: .max)
        request.processors = [.gray(), .resize(to: size)]
        let error = ImageLoaderError.invalidProcessor("ResizeProcessor", parameter: "size", value: "\(size)")
        await #expect(throws: error) { try await loader(nil).image(for: request) }
        var configuration = fixture.configuration
        configuration.processors = request.processors
        await #expect(throws: error) { try await ImageLoader(configuration).image(for: self.request()) }
        #expect(origin.requestCount == 0)
    }

    /// A still image may be larger than the frames of an animation.
    @Test func animationThatIsEnlarged_obeysItsLimit() async throws {
        var configuration = fixture.configuration
        configuration.decode.limits.animationPixels = 1_000
        let loader = ImageLoader(configuration)
        for (file, isRefused) in [(GIFFixture.animation(), true), (.still(6, 5), false)] {
            for side in [30, 50] {
                var request = ImageRequest(data: file.data, id: "\(isRefused)")
                request.processors = [.resize(to: PixelSize(width: side, height: side))]
                guard isRefused, side == 50 else {
                    #expect(try await loader.image(for: request).size.width == side)
                    continue
                }
                let error = ImageLoaderError.limitExceeded(.animationPixels, value: 2_500, allowed: 1_000)
                await #expect(throws: error) { try await loader.image(for: request) }
            }
        }
    }

    @Test func memoryOfAProcessor_countsWhatItEnlarges() throws {
        let large = PixelSize(width: 100, height: 100)
        let chain = try #require(ProcessingChain([.resize(to: large)]))
        #expect(chain.workingBytes(last: PixelSize(width: 1, height: 1)) == 4 * 10_001)
        #expect(chain.workingBytes(last: large) == 4 * 20_000)
        let huge = try #require(ProcessingChain([.resize(to: PixelSize(width: .max, height: .max))]))
        #expect(huge.workingBytes(last: PixelSize(width: 1, height: 1)) > 1 << 50)
    }
}
