import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Pictures that are found on disk as they were made: scaled down, and in another format than what they were made of.
@Suite(.timeLimit(.minutes(2))) struct ProcessedPictureTests {
    private var fixture: LoaderFixture

    init() throws {
        let pictures = [
            "/small": try Pictures.jpeg(80, 60), "/million": try Self.white(1000, 1000),
            "/larger": try Self.white(1001, 1000), "/quarter": try Self.white(1024, 1024),
            "/less": try Self.white(1023, 1023),
        ]
        fixture = try LoaderFixture(
            ScriptedDataLoader { request in pictures[request.url.path].map { .bytes($0) } ?? .status(404) })
    }

    private static func white(_ width: Int, _ height: Int) throws -> Data {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
        }
        return try JPEGEncoder().encode(builder.freeze())
    }

    private func loader(_ contents: DiskContents) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ name: String, _ side: Int?) throws -> ImageRequest {
        try .test(name) { $0.targetSize = side.map { PixelSize(width: $0, height: $0) } }
    }

    private func kinds(_ loader: ImageLoader) async -> [Bool] {
        await loader.flush()
        return await loader.diskCache?.entries().map(\.isProcessed).sorted { !$0 && $1 } ?? []
    }

    // MARK: What it was made of

    @Test func imageFromDisk_reportsSameOriginal() async throws {
        let first = loader(.processed)
        let made = try await first.image(for: request("small", 24))
        #expect(await kinds(first) == [true])
        let entry = try #require(await first.diskCache?.entries().first)
        #expect(entry.format == .png && entry.size == PixelSize(width: 24, height: 18))
        let found = try await loader(.processed).response(for: request("small", 24))
        #expect(found.source == .disk)
        #expect(found.image.bitmap == made.bitmap)
        #expect(made.format == .jpeg && made.originalSize == PixelSize(width: 80, height: 60))
        #expect(found.image.format == made.format)
        #expect(found.image.originalSize == made.originalSize)
    }

    @Test func missingOrWrongMetadata_fallsBackToImage() async throws {
        let loader = loader(.processed)
        let small = PixelSize(width: 24, height: 18)
        let lies = [
            nil, PixelSize(width: 23, height: 60), PixelSize(width: 80, height: 17), PixelSize(width: -1, height: -1),
        ]
        for (number, lie) in lies.enumerated() {
            let request = try request("\(number)", 24)
            let disk = try #require(loader.diskCache)
            let original = try #require(await disk.key(of: ResourceKey(request)))
            var metadata = EntryMetadata(source: original.source)
            metadata.original = original.text
            metadata.originalSize = lie
            let bytes = try Pictures.png(24, 18)
            await disk.replace(bytes, metadata, for: original.made(as: ImageKey(request).variant.text))
            let found = try await loader.response(for: request)
            #expect(found.source == .disk)
            #expect(found.image.format == .png)
            #expect(found.image.originalSize == small && found.image.size == small)
        }
    }

    // MARK: Which are kept by themselves

    @Test(arguments: [("quarter", 512, true), ("less", 512, false), ("larger", 104, true), ("million", 104, false)])
    func automatic_storesScaledImage_atAQuarterOrLess(
        name: String, side: Int, isKept: Bool
    ) async throws {
        let first = loader(.automatic)
        let made = try await first.image(for: request(name, side))
        #expect(made.size.width == side)
        #expect(await kinds(first) == (isKept ? [false, true] : [false]))
    }

    /// A loader that decodes or processes one picture at a time, by a clock that the test moves.
    private func loader(_ decoder: GatedDecoder, _ clock: ManualClock) throws -> ImageLoader {
        let png = try Pictures.png(80, 60)
        var configuration = fixture.configuration
        configuration.clock = clock
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(png) }
        configuration.disk?.contents = .automatic
        configuration.decode.decoders = ImageDecoders([decoder])
        configuration.decode.maximumConcurrentDecodes = 1
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func untilWaiting(_ count: Int, _ loader: ImageLoader) async {
        while !Task.isCancelled, loader.path.decoding.counts.waiting < count { await Task.yield() }
    }

    /// Both the decoder and the processor wait for ten seconds.
    @Test func automatic_doesNotCountWaiting() async throws {
        let (decoder, clock, runs) = (GatedDecoder(), ManualClock(), CountingProcessor.Runs())
        let loader = try loader(decoder, clock)
        let before = Task { try await loader.image(for: .test("before")) }
        await decoder.gate.arrivals(1)
        let made = Task {
            try await loader.image(for: .test("made") { $0.processors = [CountingProcessor(1, runs)] })
        }
        await untilWaiting(1, loader)
        clock.advance(by: .seconds(10))
        let between = Task { try await loader.image(for: .test("between")) }
        await untilWaiting(2, loader)
        let (second, third) = (ThreadGate(), ThreadGate())
        decoder.setGate(second)
        decoder.gate.open()
        await second.arrivals(1)
        decoder.setGate(third)
        second.open()
        await third.arrivals(1)
        await untilWaiting(1, loader)
        clock.advance(by: .seconds(10))
        third.open()
        for task in [before, made, between] { _ = try await task.value }
        #expect(runs.all == [1])
        #expect(await kinds(loader) == [false, false, false])
    }

    @Test(arguments: ["decoding", "processing", "nothing"])
    func automatic_countsDecoding_andAllProcessors(slow: String) async throws {
        let (decoder, clock, runs) = (GatedDecoder(), ManualClock(), CountingProcessor.Runs())
        let begun = Recorder<Bool>()
        runs.gate.withLock {
            $0 = { _ in
                begun.record(true)
                if slow == "processing", begun.values.count == 1 { clock.advance(by: .seconds(1)) }
            }
        }
        let loader = try loader(decoder, clock)
        let task = Task {
            try await loader.image(for: .test("a") { $0.processors = [1, 2].map { CountingProcessor($0, runs) } })
        }
        await decoder.gate.arrivals(1)
        if slow == "decoding" { clock.advance(by: .seconds(1)) }
        decoder.gate.open()
        _ = try await task.value
        #expect(runs.all == [1, 2])
        #expect(await kinds(loader) == (slow == "nothing" ? [false] : [false, true]))
    }

    @Test func automatic_storesImagesScaledFromDisk() async throws {
        let first = loader(.automatic)
        _ = try await first.data(for: request("larger", nil))
        _ = try await first.image(for: request("larger", nil))
        #expect(await kinds(first) == [false])
        let second = loader(.automatic)
        #expect(try await second.response(for: request("larger", 104)).source == .disk)
        #expect(await kinds(second) == [false, true])
        for entry in await second.diskCache?.entries() ?? [] where !entry.isProcessed {
            try FileManager.default.removeItem(at: entry.file)
        }
        let found = try await loader(.automatic).response(for: request("larger", 104))
        #expect(found.source == .disk)
        #expect(found.image.originalSize == PixelSize(width: 1001, height: 1000))
        #expect(found.image.format == .jpeg)
    }
}
