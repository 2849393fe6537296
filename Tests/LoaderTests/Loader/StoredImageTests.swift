import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

#if os(Linux) && JPEG && PNG && WebP && GIF
/// An image is found on disk as it was stored: pixels, opacity, color profile, animation.
@Suite(.timeLimit(.minutes(2))) struct StoredImageTests {
    private let fixture: LoaderFixture

    init() throws {
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(404) })
    }

    private func loader(_ contents: DiskContents = .originals, serving files: [PictureFixture.File] = []) -> ImageLoader
    {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        if !files.isEmpty {
            configuration.dataLoader = ScriptedDataLoader { request in
                files.first { request.url.lastPathComponent == $0.name }.map { .bytes($0.bytes) } ?? .status(404)
            }
        }
        return ImageLoader(configuration, calls: fixture.calls)
    }

    /// What a loader that has only the disk finds of `image` when it was stored by hand.
    private func storedAndFound(
        _ image: DecodedImage, _ request: ImageRequest, as variant: ImageRequest? = nil
    ) async throws -> DecodedImage {
        let first = loader()
        try await first.store(image, for: request, in: .disk)
        await first.flush()
        let response = try await loader().response(for: variant ?? request)
        #expect(response.source == .disk)
        return response.image
    }

    private func expectSame(_ found: DecodedImage, _ image: DecodedImage, _ name: String) throws {
        let differences = try PictureFacts(found).differences(from: PictureFacts(image))
        #expect(differences == [], "\(name)")
    }

    private let small = PixelSize(width: 16, height: 16)

    private func target(_ mode: DecodeTarget.ContentMode, _ name: String = "a") throws -> ImageRequest {
        var request = ImageRequest(url: try .test("x").deletingLastPathComponent().appendingPathComponent(name))
        request.targetSize = small
        request.contentMode = mode
        return request
    }

    // MARK: Stored by hand

    @Test func still_isFoundUnchanged() async throws {
        for file in try PictureFixture.stills.get() {
            let image = try ImageDecoders.builtIn.decode(file.bytes)
            try expectSame(await storedAndFound(image, .test()), image, file.name)
        }
    }

    @Test func animation_isFoundUnchanged() async throws {
        for file in try PictureFixture.animations.get() {
            let image = try ImageDecoders.builtIn.decode(file.bytes)
            #expect(image.animation != nil, "\(file.name)")
            try expectSame(await storedAndFound(image, .test()), image, file.name)
        }
    }

    @Test(arguments: DecodeTarget.ContentMode.allCases)
    func scaledImage_isFoundUnchanged(mode: DecodeTarget.ContentMode) async throws {
        for file in try PictureFixture.stills.get() + PictureFixture.animations.get() where file.name != "slow WebP" {
            var request = DecodeRequest()
            request.target = DecodeTarget(small, mode: mode)
            let image = try ImageDecoders.builtIn.decode(file.bytes, request)
            try expectSame(await storedAndFound(image, .test()), image, file.name)
        }
    }

    @Test func singleFramesAndConvertedImages_areFoundUnchanged() async throws {
        for file in try PictureFixture.stills.get() + PictureFixture.animations.get() {
            var request = DecodeRequest()
            request.frames = .first
            request.appliesOrientation = false
            let first = try ImageDecoders.builtIn.decode(file.bytes, request)
            try expectSame(await storedAndFound(first, .test()), first, file.name)
        }
    }

    /// As it lies in its file, which would be turned when it is read again.
    @Test func unrotatedAnimation_isFoundUnchanged() async throws {
        for file in try PictureFixture.animations.get() where file.name != "slow WebP" {
            var request = DecodeRequest()
            request.appliesOrientation = false
            let image = try ImageDecoders.builtIn.decode(file.bytes, request)
            try expectSame(await storedAndFound(image, .test()), image, file.name)
        }
    }

    @Test func sizeMadeFromStoredImage_reportsOriginalSize() async throws {
        for file in try PictureFixture.stills.get() where !file.name.contains("one") {
            let image = try ImageDecoders.builtIn.decode(file.bytes)
            let found = try await storedAndFound(image, .test(), as: .test { $0.targetSize = small })
            #expect(found.originalSize == image.originalSize && found.format == image.format, "\(file.name)")
            #expect(found.profile == image.profile && found.isOpaque == image.isOpaque, "\(file.name)")
        }
    }

    @Test func returnedBytes_decodeToImage() async throws {
        for file in try PictureFixture.stills.get() + PictureFixture.animations.get() {
            let image = try ImageDecoders.builtIn.decode(file.bytes)
            let loader = loader()
            try await loader.store(image, for: .test(), in: .disk)
            let bytes = try await loader.data(for: .test())
            let entry = try #require(await loader.diskEntry(for: .test()))
            let shown = try ImageDecoders.builtIn.decode(bytes)
            #expect(entry.format == ImageFormat(sniffing: bytes) && entry.size == shown.size, "\(file.name)")
            #expect(shown.bitmap == image.bitmap, "\(file.name)")
            #expect(shown.animation?.frameCount == image.animation?.frameCount, "\(file.name)")
            if !file.name.contains("damaged") { #expect(shown.profile == image.profile, "\(file.name)") }
        }
    }

    // MARK: Made of what was downloaded

    @Test func processedImage_isFoundUnchanged() async throws {
        let stills = try PictureFixture.stills.get()
        let files = try stills + PictureFixture.animations.get().filter { $0.name != "slow WebP" }
        func request(_ name: String) throws -> ImageRequest {
            var request = try target(.fit, name)
            request.targetSize = nil
            request.processors = [.colorControls(contrast: 0.5), .opacity(0.6)]
            return request
        }
        let first = loader(.processed, serving: files)
        var made: [String: DecodedImage] = [:]
        for file in files { made[file.name] = try await first.image(for: request(file.name)) }
        await first.flush()
        let second = loader(.processed)
        for file in files {
            let image = try #require(made[file.name])
            let response = try await second.response(for: request(file.name))
            #expect(response.source == .disk, "\(file.name)")
            try expectSame(response.image, image, file.name)
            let original = try ImageDecoders.builtIn.decode(file.bytes)
            #expect(image.profile == original.profile && !image.isOpaque, "\(file.name)")
            #expect(image.animation?.frameCount == original.animation?.frameCount, "\(file.name)")
        }
        let entries = await second.diskCache?.entries() ?? []
        #expect(entries.count { $0.isProcessed } == files.count)
        #expect(entries.count { !$0.isProcessed } == files.count - stills.count)
        #expect(fixture.cacheFailures.isEmpty)
    }

    /// Its frames are read again, not made again.
    @Test func processedAnimation_isProcessedOnce() async throws {
        let file = try #require(PictureFixture.animations.get().first { $0.name == "GIF" })
        let runs = CountingProcessor.Runs()
        var request = try target(.fit, file.name)
        request.processors = [CountingProcessor(1, runs)]
        let first = loader(.both, serving: [file])
        let image = try await first.image(for: request)
        await first.flush()
        // The first frame for the caller, and all five for the disk.
        #expect(runs.all.count == 6)
        let response = try await loader(.both).response(for: request)
        #expect(response.source == .disk)
        try expectSame(response.image, image, file.name)
        // Those of the first image, which were compared.
        #expect(runs.all.count == 11)
    }

    /// A replaced animation is stored with its bytes, which other requests are answered from.
    @Test func replacedAnimation_isStoredAsReceived_andAsItWasMade() async throws {
        let files = try PictureFixture.animations.get()
        let versions = try ["GIF", "opaque GIF"].map { name in try #require(files.first { $0.name == name }).bytes }
        let served = Mutex(0)
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        configuration.dataLoader = ScriptedDataLoader { _ in
            let number = served.withLock { number in
                defer { number += 1 }
                return number
            }
            return .bytes(versions[min(number, 1)], headers: ["ETag": "\"\(number)\"", "Cache-Control": "no-cache"])
        }
        let request = try ImageRequest.test { $0.processors = [.gray()] }
        for number in 1...2 {
            let loader = ImageLoader(configuration, calls: fixture.calls)
            #expect(try await loader.response(for: request).source == .network)
            await loader.flush()
            let entries = await loader.diskCache?.entries() ?? []
            #expect(entries.map(\.isProcessed).sorted { !$0 && $1 } == [false, true])
            #expect(await loader.diskCache?.data(for: loader.key(for: try .test())) == versions[number - 1])
        }
        #expect(fixture.cacheFailures.isEmpty)
    }

    /// Closing doesn't wait for all its frames.
    @Test func closedLoader_storesNoAnimation() async throws {
        let file = try #require(PictureFixture.animations.get().first { $0.name == "GIF" })
        let (runs, steps) = (CountingProcessor.Runs(), Recorder<String>())
        runs.gate.withLock {
            $0 = { _ in
                // The second frame for the disk.
                guard runs.all.count == 3 else { return }
                steps.record("begun")
                while !steps.values.contains("closing") { sched_yield() }
            }
        }
        var request = try target(.fit, file.name)
        request.processors = [CountingProcessor(1, runs)]
        let first = loader(.processed, serving: [file])
        _ = try await first.image(for: request)
        await steps.wait { !$0.isEmpty }
        let closing = Task { await first.close() }
        while !first.path.flights.isClosed { await Task.yield() }
        steps.record("closing")
        await closing.value
        #expect(runs.all.count == 3 && fixture.cacheFailures.isEmpty)
        #expect(await loader().diskCache?.entries().map(\.isProcessed) == [false])
    }

    /// PNG has no such delay. The image is made of its bytes each time.
    @Test func processedAnimation_thatCannotBeWritten_isMadeAgain() async throws {
        let file = try #require(PictureFixture.animations.get().first { $0.name == "slow WebP" })
        var request = try target(.fit, "slow")
        request.processors = [.gray()]
        let first = loader(.processed, serving: [PictureFixture.File("slow", file.bytes)])
        let image = try await first.image(for: request)
        await first.flush()
        #expect(fixture.cacheFailures.isEmpty)
        #expect(await first.diskCache?.entries().map(\.isProcessed) == [false])
        let response = try await loader(.processed).response(for: request)
        #expect(response.source == .disk)
        try expectSame(response.image, image, file.name)
    }

    /// Its animation makes no frames, so an attempt to store them fails.
    private struct LongDecoder: ImageDecoding {
        let first: Bitmap
        let frameCount: Int

        var format: ImageFormat { .gif }

        func header(of data: Data, limits: DecodeLimits) -> ImageHeader { ImageHeader(format: .gif, size: first.size) }

        func decode(_ data: Data, _ request: DecodeRequest) -> DecodedImage {
            var animation = PlainAnimation(count: frameCount, broken: 0)
            animation.size = first.size
            let fitting = PictureFitting(header(of: data, limits: request.limits), request)
            return DecodedImage(
                bitmap: first, format: format, originalSize: first.size, animation: AnimatedImage(animation, fitting))
        }
    }

    @Test(arguments: [(1_000, true), (1_001, false)])
    func processedAnimation_isStored_upTo50MillionPixels(frameCount: Int, isStored: Bool) async throws {
        let file = try #require(PictureFixture.animations.get().first { $0.name == "GIF" })
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(file.bytes) }
        let decoder = LongDecoder(first: try Pictures.plain(500, 100), frameCount: frameCount)
        configuration.decode.decoders = ImageDecoders([decoder])
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let image = try await loader.image(for: .test { $0.processors = [.gray()] })
        #expect(image.animation?.frameCount == frameCount)
        await loader.flush()
        #expect(fixture.cacheFailures.map(\.operation) == (isStored ? [.write] : []))
        #expect(fixture.cacheFailures.allSatisfy { $0.reason.contains("broken") })
        #expect(await loader.diskCache?.entries().map(\.isProcessed) == [false])
    }

    @Test(arguments: DecodeTarget.ContentMode.allCases, [false, true])
    func generatedImage_isFoundUnchanged(mode: DecodeTarget.ContentMode, converts: Bool) async throws {
        let files = try PictureFixture.stills.get()
        let first = loader(.processed, serving: files)
        var made: [String: DecodedImage] = [:]
        for file in files {
            var request = try target(mode, file.name)
            request.convertsToSRGB = converts
            made[file.name] = try await first.image(for: request)
        }
        await first.flush()
        let second = loader(.processed)
        for file in files {
            var request = try target(mode, file.name)
            request.convertsToSRGB = converts
            let response = try await second.response(for: request)
            #expect(response.source == .disk, "\(file.name)")
            try expectSame(response.image, try #require(made[file.name]), file.name)
        }
        #expect(await second.diskCache?.entries().contains { $0.isProcessed } == true)
        #expect(fixture.cacheFailures.isEmpty)
    }

    // MARK: What can't be kept as it is

    @Test func colorsAboveTheirAlpha_areRejected_andNothingChanges() async throws {
        let loader = loader()
        try await loader.store(Pictures.png(8, 6), for: .test())
        for pixel in [[1, 0, 0, 0], [0, 129, 0, 128], [10, 10, 255, 254]] as [SIMD4<UInt8>] {
            let bitmap = try Pictures.make(5, 4) { x, y in x == 3 && y == 2 ? pixel : [9, 9, 9, 9] }
            await #expect {
                try await loader.store(DecodedImage(bitmap: bitmap), for: .test(), in: .all)
            } throws: {
                if case ImageLoaderError.encodingFailed(.png, _) = $0 { true } else { false }
            }
        }
        #expect(loader.cachedImage(for: try .test())?.size.width == 8)
        await loader.flush()
        #expect(try await self.loader().response(for: .test()).source == .disk)
    }

    /// PNG tells delays in fractions of 16 bits, so one of these that was scaled has no file of its own.
    @Test func unrepresentableDelays_areRejected() async throws {
        let file = try #require(PictureFixture.animations.get().first { $0.name == "slow WebP" })
        var request = DecodeRequest()
        request.target = DecodeTarget(small)
        let image = try ImageDecoders.builtIn.decode(file.bytes, request)
        let loader = loader()
        await #expect {
            try await loader.store(image, for: .test(), in: .disk)
        } throws: {
            if case ImageLoaderError.encodingFailed(.png, _) = $0 { true } else { false }
        }
        #expect(await !loader.contains(try .test()))
    }

    /// Else it would be an error each time it is looked for.
    @Test func undecodableImage_isRejected() async throws {
        var configuration = fixture.configuration
        configuration.decode.limits.pixels = 100
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let image = DecodedImage(bitmap: try Pictures.plain(11, 10))
        await #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 110, allowed: 100)) {
            try await loader.store(image, for: .test(), in: .disk)
        }
        configuration.decode.decoders = ImageDecoders([GIFDecoder()])
        let withoutPNG = ImageLoader(configuration, calls: fixture.calls)
        await #expect(throws: ImageLoaderError.unsupportedFormat(.png)) {
            try await withoutPNG.store(DecodedImage(bitmap: Pictures.plain(3, 2)), for: .test(), in: .disk)
        }
        #expect(await !loader.contains(try .test()))
    }
}
#endif
