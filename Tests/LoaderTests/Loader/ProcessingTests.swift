import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Images that processors make: which run, what is shared, and what is cached.
@Suite(.timeLimit(.minutes(1))) struct ProcessingTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture
    private let runs = CountingProcessor.Runs()

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ contents: DiskContents? = .originals, common: [Int] = []) -> ImageLoader {
        var configuration = fixture.configuration
        if let contents { configuration.disk?.contents = contents } else { configuration.disk = nil }
        configuration.processors = common.map { processor($0) }
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func processor(_ number: Int) -> CountingProcessor { CountingProcessor(number, runs) }

    private func request(_ numbers: Int..., side: Int? = nil) throws -> ImageRequest {
        try .test("a.png") {
            $0.processors = numbers.map { processor($0) }
            $0.targetSize = side.map { PixelSize(width: $0, height: $0) }
        }
    }

    /// What the first pixel becomes.
    private func expected(_ numbers: [Int], of image: DecodedImage) -> SIMD4<UInt8> {
        numbers.reduce(image.bitmap[0, 0]) { SIMD4($0.x &* 3 &+ UInt8($1), 0, 0, 255) }
    }

    // MARK: What runs

    @Test func processors_runInOrder_onceForAllCallers() async throws {
        let loader = loader()
        let plain = try await loader.image(for: request())
        let images = try await withThrowingTaskGroup(of: DecodedImage.self) { group in
            for _ in 0..<20 { group.addTask { try await loader.image(for: request(1, 2, 3)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(images.map { ObjectIdentifier($0.bitmap) }).count == 1 && runs.all == [1, 2, 3])
        #expect(images[0].bitmap[0, 0] == expected([1, 2, 3], of: plain) && images[0].isOpaque)
        #expect(images[0].format == .png && images[0].originalSize == plain.size)
        let again = try await loader.response(for: request(1, 2, 3))
        #expect(again.source == .memory && again.image.bitmap === images[0].bitmap)
        #expect(loader.cachedImage(for: try request(1, 2, 3))?.bitmap === images[0].bitmap)
        #expect(origin.requestCount == 1 && runs.all.count == 3)
    }

    /// Records the source that its context names.
    private struct Witness: ImageProcessing {
        let sources: Recorder<String?>

        func identify(in identity: inout ProcessorIdentity) { identity.add(1) }

        func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap {
            sources.record(context.source)
            return picture
        }
    }

    @Test func processorOfALoader_learnsTheSource() async throws {
        let sources = Recorder<String?>()
        var configuration = fixture.configuration
        configuration.processors = [Witness(sources: sources)]
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let url = try #require(URL(string: "http://user:secret@host.test/a.png#part"))
        _ = try await loader.image(for: url)
        _ = try await loader.encoded(for: ImageRequest(url: url), as: PNGEncoder())
        _ = try await loader.image(for: ImageRequest(data: Pictures.png(), id: "own"))
        try await loader.store(Pictures.png(), for: ImageRequest(url: .test("stored.png")))
        #expect(
            sources.values == [
                "http://host.test/a.png", "http://host.test/a.png", "own", try URL.test("stored.png").absoluteString,
            ])
    }

    @Test func scalingComesFirst_andTheResponseSaysHowLongProcessingTook() async throws {
        let response = try await loader().response(for: request(1, side: 20))
        #expect(response.image.size == PixelSize(width: 20, height: 15) && response.source == .network)
        #expect(response.image.originalSize == PixelSize(width: 40, height: 30))
        #expect(response.timings.process != nil && response.timings.decode != nil && response.freshness != nil)
    }

    /// Two requests share the first two of three processors: four runs.
    @Test(arguments: [DiskContents.originals, .processed, nil])
    func requests_shareWhatTheirFirstProcessorsMake(contents: DiskContents?) async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        if let contents { configuration.disk?.contents = contents } else { configuration.disk = nil }
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let tasks = try [request(1, 2, 3), request(1, 2, 4), request(1, 2), request()].map(loader.imageTask)
        let call = try await transport.nextCall()
        await fixture.untilCoalesced(3)
        call.respond(headers: ["Cache-Control": "max-age=60"])
        call.send(try Pictures.png(40, 30))
        call.finish()
        let plain = try await tasks[3].image
        #expect(try await tasks[0].image.bitmap[0, 0] == expected([1, 2, 3], of: plain))
        #expect(try await tasks[1].image.bitmap[0, 0] == expected([1, 2, 4], of: plain))
        #expect(try await tasks[2].image.bitmap[0, 0] == expected([1, 2], of: plain))
        #expect(runs.all.sorted() == [1, 2, 3, 4] && transport.callCount == 1)
        // What was asked for itself is kept, and what wasn't isn't.
        #expect(try loader.cachedImage(for: request(1, 2)) != nil && loader.cachedImage(for: request(1)) == nil)
        #expect(try loader.cachedImage(for: request()) != nil)
    }

    @Test func aLaterRequest_beginsWithWhatIsInMemory() async throws {
        let loader = loader()
        _ = try await loader.image(for: request(1, 2))
        let count = origin.requestCount
        #expect(try await loader.response(for: request(1, 2, 3)).source == .memory)
        #expect(runs.all == [1, 2, 3] && origin.requestCount == count)
        #expect(loader.cachedImage(for: try request()) == nil)
    }

    @Test func theLoadersProcessors_comeFirst_andArePartOfItsScope() async throws {
        let memory = MemoryCache()
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = origin.transport
        configuration.disk = nil
        let plainLoader = ImageLoader(configuration, memoryCache: memory)
        configuration.processors = [processor(1)]
        let loader = ImageLoader(configuration, memoryCache: memory)
        let plain = try await plainLoader.image(for: request())
        #expect(try await loader.image(for: request()).bitmap[0, 0] == expected([1], of: plain))
        let both = try await loader.image(for: request(2))
        #expect(both.bitmap[0, 0] == expected([1, 2], of: plain) && runs.all == [1, 2])
        #expect(loader.cachedImage(for: try #require(request().url))?.bitmap[0, 0] == expected([1], of: plain))
        #expect(plainLoader.cachedImage(for: try request())?.bitmap === plain.bitmap)
        #expect(plainLoader.key(for: try request(1, 2)) == loader.key(for: try request(2)))
    }

    @Test func localBytes_areProcessed() async throws {
        let loader = loader(.both)
        var request = ImageRequest(data: try Pictures.png(40, 30), id: "mine")
        let plain = try await loader.image(for: request)
        request.processors = [processor(1), processor(2)]
        #expect(try await loader.image(for: request).bitmap[0, 0] == expected([1, 2], of: plain))
        #expect(loader.cachedImage(for: request) != nil && runs.all == [1, 2])
        await loader.flush()
        #expect(await loader.diskCache?.entries().isEmpty == true)
    }

    // MARK: What is cached

    @Test(arguments: [DiskContents.originals, .processed, .both])
    func processedImage_isFoundAfterRestart(contents: DiskContents) async throws {
        let first = loader(contents)
        let image = try await first.image(for: request(1, 2))
        await first.flush()
        let second = loader(contents)
        let again = try await second.response(for: request(1, 2))
        #expect(again.source == .disk && again.image.bitmap == image.bitmap && origin.requestCount == 1)
        #expect(again.image.originalSize == image.originalSize && again.image.format == .png)
        #expect(runs.all == (contents == .originals ? [1, 2, 1, 2] : [1, 2]))
        // Another chain isn't answered with it.
        #expect(try await second.image(for: request(2, 1)).bitmap[0, 0] != image.bitmap[0, 0])
    }

    private struct Negative: ImageProcessing {
        func identify(in identity: inout ProcessorIdentity) {}
        func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
            try picture.mapPixels(context) { SIMD4(255 &- $0.x, $0.y, $0.z, $0.w) }
        }
    }

    /// No other process would find the result, so the bytes are stored, and each launch processes them.
    @Test(arguments: [DiskContents.processed, .both], [[], [1]])
    func resultOfPrivateType_isNotStored_butItsBytesAre(contents: DiskContents, before: [Int]) async throws {
        var request = try request()
        request.processors = before.map { processor($0) } + [Negative()]
        let first = loader(contents)
        let image = try await first.image(for: request)
        await first.flush()
        let disk = try #require(first.diskCache)
        #expect(await disk.entries().count == 1)
        let second = loader(contents)
        let again = try await second.response(for: request)
        #expect(again.source == .disk && again.image.bitmap == image.bitmap && origin.requestCount == 1)
        #expect(runs.all == before + before)
    }

    @Test func automatic_storesWhatTookLongToMake() throws {
        let image = DecodedImage(bitmap: try Pictures.plain(100, 100))
        func stores(_ isProcessed: Bool, _ time: Duration) -> Bool {
            DiskContents.automatic.includes(image, isProcessed: isProcessed, madeIn: time)
        }
        // Reading it takes about 200 µs.
        #expect(stores(true, .microseconds(801)) && !stores(true, .microseconds(799)))
        #expect(!stores(false, .seconds(1)) && !stores(true, .zero))
    }

    /// Only where the program asks for it: all its frames are made for that.
    @Test func animation_isStored_onlyIfProcessedImagesAre() throws {
        let image = try ImageDecoders.builtIn.decode(GIFFixture.animation().data)
        for contents in DiskContents.allCases {
            #expect(!contents.includes(image, isProcessed: false, madeIn: .seconds(1)))
            let isStored = contents == .processed || contents == .both
            #expect(contents.includes(image, isProcessed: true, madeIn: .seconds(1)) == isStored)
        }
    }

    @Test func removal_takesAllThatWasMade() async throws {
        let loader = loader(.both)
        for numbers in [[], [1], [1, 2]] {
            _ = try await loader.image(for: .test("a.png") { $0.processors = numbers.map { processor($0) } })
        }
        await loader.flush()
        await loader.remove(try request(1))
        for request in try [request(), request(1), request(1, 2)] {
            #expect(!(await loader.contains(request)))
        }
        #expect(await loader.diskCache?.entries().isEmpty == true)
    }

    @Test func atLeast_isNeverServedWithAnythingProcessed() async throws {
        let loader = loader()
        _ = try await loader.image(for: request(1))
        _ = try await loader.image(for: request(1, side: 30))
        for numbers in [[], [1], [2]] {
            let request = try ImageRequest.test("a.png") {
                $0.targetSize = PixelSize(width: 20, height: 20)
                $0.precision = .atLeast
                $0.processors = numbers.map { processor($0) }
            }
            #expect(loader.cachedImage(for: request) == nil)
            #expect(try await loader.image(for: request).size == PixelSize(width: 20, height: 15))
        }
    }

    @Test(arguments: [DiskContents.originals, .processed, nil])
    func confirmedImage_isNeitherDecodedNorProcessedAgain(contents: DiskContents?) async throws {
        let loader = loader(contents)
        let image = try await loader.image(for: request(1, 2))
        origin.pass(61)
        let again = try await loader.response(for: request(1, 2))
        #expect(again.image.bitmap === image.bitmap && again.source == .memory && runs.all == [1, 2])
        #expect(origin.conditionalCount == 1)
        origin.pass(30)
        #expect(try await loader.response(for: request(1, 2)).source == .memory && origin.requestCount == 2)
    }

    @Test(arguments: [DiskContents.originals, .processed, nil])
    func replacedPicture_isProcessedAnew(contents: DiskContents?) async throws {
        let loader = loader(contents)
        _ = try await loader.image(for: request(1, 2))
        _ = try await loader.image(for: request(1))
        await loader.flush()
        origin.pass(61)
        origin.change { $0.widths["/a.png"] = 44 }
        #expect(try await loader.image(for: request(1, 2)).size.width == 44)
        #expect(loader.cachedImage(for: try request(1)) == nil)
        await loader.flush()
        let second = self.loader(contents)
        #expect(try await second.image(for: request(1, 2)).size.width == 44)
    }

    @Test func noStore_storesNothingThatIsMade() async throws {
        origin.change { $0.headers = ["Cache-Control": "no-store"] }
        let loader = loader(.both)
        for _ in 0..<2 { _ = try await loader.image(for: request(1)) }
        await loader.flush()
        #expect(try loader.cachedImage(for: request(1)) == nil && origin.requestCount == 2)
        #expect(await loader.diskCache?.entries().isEmpty == true)
    }

    @Test(arguments: [CacheWritePolicy.nothing, .memoryOnly, .diskOnly])
    func writePolicy_appliesToWhatIsMade(policy: CacheWritePolicy) async throws {
        let loader = loader(.both)
        var request = try request(1)
        request.writePolicy = policy
        _ = try await loader.image(for: request)
        await loader.flush()
        #expect(await loader.contains(request, in: .memory) == (policy == .memoryOnly))
        #expect(await loader.contains(request, in: .disk) == (policy == .diskOnly))
    }

    @Test func staleImage_isShownAfterAnError() async throws {
        let loader = loader(nil)
        _ = try await loader.image(for: request(1))
        origin.pass(61)
        origin.change { $0.failure = .failure(.connectionFailed(.refused, detail: "refused")) }
        #expect(try await loader.response(for: request(1)).staleReason == .afterError)
        #expect(runs.all == [1])
    }

    // MARK: Errors and cancelling

    private struct Broken: Error, CustomStringConvertible {
        var description: String { "broken" }
    }

    @Test func anError_namesTheProcessor_andNothingIsCached() async throws {
        let loader = loader(.both)
        runs.gate.withLock { $0 = { _ in throw Broken() } }
        let error = ImageLoaderError.processingFailed(processor: "CountingProcessor", UnderlyingError(Broken()))
        await #expect(throws: error) { try await loader.image(for: request(1, 2)) }
        #expect("\(error)" == "CountingProcessor failed: broken" && runs.all == [1])
        #expect(!(await loader.contains(try request(1, 2), in: .memory)))
        runs.gate.withLock { $0 = { _ in throw ImageLoaderError.emptyBody } }
        await #expect(throws: ImageLoaderError.emptyBody) { try await loader.image(for: request(1)) }
        runs.gate.withLock { $0 = nil }
        _ = try await loader.image(for: request(1, 2))
    }

    private struct Invalid: ImageProcessing {
        func identify(in identity: inout ProcessorIdentity) {}
        func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
        func validate() throws(ImageLoaderError) {
            throw .invalidProcessor("Invalid", parameter: "radius", value: "-1")
        }
    }

    @Test func invalidParameters_areAnError_beforeAnythingIsLoaded() async throws {
        var request = try request()
        request.processors = [processor(1), Invalid()]
        let error = ImageLoaderError.invalidProcessor("Invalid", parameter: "radius", value: "-1")
        await #expect(throws: error) { try await loader().image(for: request) }
        var configuration = fixture.configuration
        configuration.processors = [Invalid()]
        await #expect(throws: error) { try await ImageLoader(configuration).image(for: self.request()) }
        request.processors = [.resize(to: PixelSize(width: 9, height: 9)), .crop(to: PixelSize(width: 10, height: 9))]
        await #expect(
            throws: ImageLoaderError.invalidProcessor(
                "CropProcessor", parameter: "size", value: "10 × 9, larger than 9 × 9")
        ) { try await loader().image(for: request) }
        #expect(origin.requestCount == 0 && runs.all.isEmpty)
        #expect("\(error)" == "Invalid can't work with radius = -1")
    }

    @Test func aResultBeyondTheLimits_isAnError() async throws {
        var configuration = fixture.configuration
        configuration.decode.limits.pixels = 2_000
        let loader = ImageLoader(configuration, calls: fixture.calls)
        var request = try request()
        var large = processor(1)
        large.size = PixelSize(width: 100, height: 100)
        request.processors = [large]
        await #expect { try await loader.image(for: request) } throws: {
            ($0 as? ImageLoaderError)?.kind == .limitExceeded
        }
    }

    /// The last caller cancels: the processor that runs is told, and the next one doesn't begin.
    @Test func cancelling_endsTheChain() async throws {
        let steps = Recorder<String>()
        runs.gate.withLock {
            $0 = { context in
                steps.record("begun")
                while !context.cancellation.isCancelled { sched_yield() }
                steps.record("told")
                try context.checkCancellation()
            }
        }
        let loader = loader()
        let request = try request(1, 2)
        let task = Task { try await loader.image(for: request) }
        await steps.wait { $0 == ["begun"] }
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        await steps.wait { $0 == ["begun", "told"] }
        #expect(runs.all == [1] && loader.cachedImage(for: request) == nil)
        while !Task.isCancelled, loader.path.flights.count > 0 { await Task.yield() }
    }

    @Test func oneOfTwoCancels_andTheOtherIsServed() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let (first, second) = (loader.imageTask(for: try request(1, 2)), loader.imageTask(for: try request(1, 3)))
        let call = try await transport.nextCall()
        await fixture.untilCoalesced(1)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.image }
        call.respond()
        call.send(try Pictures.png(40, 30))
        call.finish()
        _ = try await second.image
        #expect(runs.all == [1, 3] && call.end == .finished)
    }

    /// Low priorities take one of the two slots, so a download that is raised starts at once.
    @Test func raisedPriority_reachesTheDownloadThatTwoShare() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        configuration.download.maximumConcurrentDownloads = 2
        let loader = ImageLoader(configuration, calls: fixture.calls)
        func task(_ request: ImageRequest) -> LoadTask<ImageResponse> {
            var request = request
            request.priority = .low
            return loader.imageTask(for: request)
        }
        var tasks = [task(try .test("first.png"))]
        var calls = [try await transport.nextCall()]
        tasks += try [.test("other.png"), request(1, 2), request(1, 3)].map(task)
        await fixture.events.wait { $0.count { if case .began(.queued) = $0 { true } else { false } } >= 2 }
        await fixture.untilCoalesced(1)
        tasks[3].priority = .high
        calls.append(try await transport.nextCall())
        #expect(calls[1].request.url.path == "/a.png")
        let png = try Pictures.png(40, 30)
        for number in 0..<3 {
            calls[number].respond()
            calls[number].send(png)
            calls[number].finish()
            if number == 0 { calls.append(try await transport.nextCall()) }
        }
        for task in tasks { _ = try await task.image }
        #expect(runs.all.sorted() == [1, 2, 3])
    }

    @Test func fallback_isProcessed_onceForTwoThatShare() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let tasks = try [request(1, 2), request(1, 3)].map { request in
            var request = request
            request.fallbacks = [try .test("b.png")]
            return loader.imageTask(for: request)
        }
        let failing = try await transport.nextCall()
        await fixture.untilCoalesced(1)
        failing.respond(status: 404)
        failing.finish()
        let call = try await transport.nextCall()
        #expect(call.request.url.path == "/b.png")
        await fixture.untilCoalesced(2)
        call.respond()
        call.send(try Pictures.png(40, 30))
        call.finish()
        for task in tasks { _ = try await task.image }
        #expect(runs.all.sorted() == [1, 2, 3] && transport.callCount == 2)
    }

    @Test func lastOneCancels_andTheTransferEnds() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let task = loader.imageTask(for: try request(1, 2, 3))
        let call = try await transport.nextCall()
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.image }
        try await call.cancelled()
        while !Task.isCancelled, await loader.downloads.statistics.cancelled == 0 { await Task.yield() }
        while !Task.isCancelled, loader.path.flights.count > 0 { await Task.yield() }
    }
}
