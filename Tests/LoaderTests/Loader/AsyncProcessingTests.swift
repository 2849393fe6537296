import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Processors that wait.
@Suite(.timeLimit(.minutes(1))) struct AsyncProcessingTests {
    private struct Waiting: AsyncImageProcessing {
        let number: Int
        let runs: CountingProcessor.Runs
        var animations = AnimationProcessing.firstFrame
        var size: PixelSize?
        var pass: @Sendable (ProcessingContext) async throws -> Void = { _ in }

        init(_ number: Int, _ runs: CountingProcessor.Runs) { (self.number, self.runs) = (number, runs) }

        func identify(in identity: inout ProcessorIdentity) { identity.add(number) }

        func result(of picture: Bitmap, _ context: ProcessingContext) async throws -> Bitmap {
            try await pass(context)
            var processor = CountingProcessor(number, runs)
            processor.size = size
            return try processor.process(picture, context)
        }
    }

    private struct Broken: Error {}

    private let origin: ChangingOrigin
    private let fixture: LoaderFixture
    private let runs = CountingProcessor.Runs()
    private let steps = Recorder<String>()
    private let gate = Recorder<Void>()

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ edit: (inout ImageLoader.Configuration) -> Void = { _ in }) -> ImageLoader {
        var configuration = fixture.configuration
        edit(&configuration)
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(
        _ processors: any ImageProcessing..., of name: String = "a.png"
    ) throws -> ImageRequest { try .test(name) { $0.processors = processors } }

    /// A processor that waits for the gate.
    private func gated(_ number: Int) -> Waiting {
        var processor = Waiting(number, runs)
        processor.pass = { [steps, gate] _ in
            steps.record("begun \(number)")
            await gate.wait { !$0.isEmpty }
        }
        return processor
    }

    @Test func chain_ofBothKinds_makesWhatItWouldAlone() async throws {
        let mixed = try request(
            CountingProcessor(1, runs), Waiting(2, runs), CountingProcessor(3, runs), Waiting(4, runs))
        let plain = try request(of: "a.png")
        let loader = loader()
        let image = try await loader.image(for: mixed)
        #expect(runs.all == [1, 2, 3, 4])
        var pixel = try await loader.image(for: plain).bitmap[0, 0].x
        for number in UInt8(1)...4 { pixel = pixel &* 3 &+ number }
        #expect(image.bitmap[0, 0].x == pixel)
        let again = try await loader.response(for: mixed)
        #expect(again.source == .memory && runs.all == [1, 2, 3, 4])
        let file = try await loader.encoded(for: mixed, as: PNGEncoder())
        #expect(try ImageFormat.png.decoder().decode(file.data, DecodeRequest()).bitmap == image.bitmap)
        #expect(runs.all == [1, 2, 3, 4, 1, 2, 3, 4])
    }

    @Test(arguments: [false, true]) func number_isLimited_andOthersGoOn(encodes: Bool) async throws {
        let loader = loader {
            $0.decode.maximumConcurrentDecodes = 1
            $0.decode.maximumWaitingProcessors = 2
        }
        let waiting = loader.path.decoding.waiting
        let tasks = try (0..<5).map { number in
            let request = try request(gated(number))
            return Task {
                if encodes {
                    _ = try await loader.encoded(for: request, as: PNGEncoder())
                } else {
                    _ = try await loader.image(for: request)
                }
            }
        }
        while waiting.counts.waiting < 3 { await Task.yield() }
        await steps.wait { $0.count == 2 }
        #expect(waiting.counts.running == 2)
        #expect(await loader.activity.waitingDecodes == 3)
        // Neither an image nor a file waits for them.
        _ = try await loader.image(for: request(CountingProcessor(9, runs), of: "b.png"))
        _ = try await loader.encoded(for: request(of: "b.png"), as: PNGEncoder())
        #expect(steps.values.count == 2)
        gate.record(())
        for task in tasks { try await task.value }
        #expect(steps.values.count == 5 && waiting.counts.running == 0)
    }

    @Test func cancelling_reachesTheProcessor() async throws {
        var processor = Waiting(1, runs)
        processor.pass = { [steps, gate] context in
            steps.record("begun")
            // It takes no notice at first.
            await gate.wait { !$0.isEmpty }
            steps.record(Task.isCancelled && context.cancellation.isCancelled ? "cancelled" : "not cancelled")
            try Task.checkCancellation()
        }
        let loader = loader()
        let request = try request(processor)
        let task = Task { try await loader.image(for: request) }
        await steps.wait { !$0.isEmpty }
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        #expect(steps.values == ["begun"])
        gate.record(())
        await loader.path.flights.ended()
        #expect(steps.values == ["begun", "cancelled"] && loader.cachedImage(for: request) == nil)
        #expect(loader.path.decoding.waiting.counts.running == 0)
    }

    @Test func failure_namesTheProcessor() async throws {
        var (failing, large) = (Waiting(1, runs), Waiting(2, runs))
        failing.pass = { _ in throw Broken() }
        large.size = PixelSize(width: 2_000, height: 2_000)
        let loader = loader { $0.decode.limits.bitmapBytes = 4_000_000 }
        let broken = ImageLoaderError.processingFailed(processor: "Waiting", UnderlyingError(Broken()))
        await #expect(throws: broken) { try await loader.image(for: request(failing)) }
        await #expect(throws: broken) { try await loader.encoded(for: request(failing), as: PNGEncoder()) }
        let tooLarge = ImageLoaderError.limitExceeded(.bitmapBytes, value: 16_000_000, allowed: 4_000_000)
        await #expect(throws: tooLarge) { try await loader.image(for: request(large)) }
        var perFrame = Waiting(3, runs)
        perFrame.animations = .eachFrame
        await #expect(
            throws: ImageLoaderError.invalidProcessor("Waiting", parameter: "animations", value: "eachFrame")
        ) { try await loader.image(for: request(perFrame)) }
    }

    @Test func failure_doesNotBlameTheBytes() async throws {
        let loader = loader()
        _ = try await loader.data(for: request())
        await loader.flush()
        var failing = Waiting(1, runs)
        let error = ImageLoaderError.notAnImage(found: "another image")
        failing.pass = { _ in throw error }
        let failure = ImageLoaderError.processingFailed(processor: "Waiting", UnderlyingError(error))
        await #expect(throws: failure) { try await loader.encoded(for: request(failing), as: PNGEncoder()) }
        await #expect(throws: failure) { try await loader.image(for: request(failing)) }
        _ = try await loader.image(for: request())
        #expect(origin.requestCount == 1 && fixture.cacheFailures.isEmpty)
    }

    @Test func cancelOfSomethingElse_isAFailure() async throws {
        var processor = Waiting(1, runs)
        processor.pass = { _ in throw ImageLoaderError.cancelled }
        let failure = ImageLoaderError.processingFailed(
            processor: "Waiting", UnderlyingError(ImageLoaderError.cancelled))
        await #expect(throws: failure) { try await loader().image(for: request(processor)) }
        await #expect(throws: failure) { try await loader().encoded(for: request(processor), as: PNGEncoder()) }
    }

    @Test func processor_thatLoadsAnImage_isNotHeldUpByTheBytesOfItsOwn() async throws {
        let loader = loader { $0.download.bodyBudget = BodyBudget(byteLimit: 1) }
        var processor = Waiting(1, runs)
        processor.pass = { [request = try request(of: "b.png")] _ in _ = try await loader.image(for: request) }
        _ = try await loader.encoded(for: request(processor), as: PNGEncoder())
        #expect(runs.all == [1] && origin.requestCount == 2)
    }

    @Test func animation_becomesStill_orIsRefused() async throws {
        let frames = try (0..<2).map { AnimationFrame(try Pictures.noise(8, 6, seed: $0), delay: .milliseconds(100)) }
        var request = ImageRequest(data: try GIFEncoder().encode(frames), id: "animation")
        request.processors = [Waiting(1, runs)]
        #expect(try await loader().image(for: request).animation == nil)
        var refusing = Waiting(2, runs)
        refusing.animations = .refused
        request.processors = [refusing]
        await #expect(throws: ImageLoaderError.unsupportedImage(.gif, reason: "Waiting refuses animations")) {
            try await loader().image(for: request)
        }
    }

    @Test func call_thatDoesNotWait_isRefused() throws {
        let picture = try Pictures.plain(4, 4, [1, 2, 3, 255])
        #expect(throws: ImageLoaderError.unsupportedConfiguration("a call of Waiting that doesn't wait")) {
            try Waiting(1, runs).process(picture, ProcessingContext(originalSize: picture.size))
        }
    }
}
