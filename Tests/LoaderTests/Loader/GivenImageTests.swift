import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Images that the program provides in place of bytes.
@Suite(.timeLimit(.minutes(1))) struct GivenImageTests {
    private struct Broken: Error {}

    private let fixture: LoaderFixture
    private let loader: ImageLoader
    private let picture: Bitmap
    /// The same pixels as a file.
    private let png: Data

    init() throws {
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .failure(.malformedResponse("a server was asked")) })
        loader = fixture.makeLoader()
        picture = try Pictures.noise(40, 30, seed: 1)
        png = try PNGEncoder().encode(picture)
    }

    @Test func image_isReturnedAsItIs_andKeptInMemoryByItsID() async throws {
        let request = ImageRequest(image: DecodedImage(bitmap: picture), id: "frame 1")
        let response = try await loader.response(for: request)
        #expect(response.image.bitmap === picture && response.source == .local)
        let again = ImageRequest(image: { throw Broken() }, id: "frame 1")
        #expect(loader.cachedImage(for: again)?.bitmap === picture)
        #expect(try await loader.image(for: again).bitmap === picture)
        #expect("\(request)" == "provided image frame 1")
        let bytes = ImageRequest(data: png, id: "frame 1")
        #expect(bytes != request && loader.cachedImage(for: bytes) == nil)
        #expect(try await loader.data(for: bytes) == png)
    }

    @Test func options_makeTheSamePixels_asOfAFile() async throws {
        let options: [@Sendable (inout ImageRequest) -> Void] = [
            { $0.targetSize = PixelSize(width: 20, height: 20) },
            { request in
                request.targetSize = PixelSize(width: 17, height: 17)
                request.contentMode = .crop
                request.cropAnchor = .attention
            },
            { request in
                request.targetSize = PixelSize(width: 80, height: 80)
                request.allowsUpscaling = true
            },
            { $0.region = PixelRectangle(x: 3, y: 4, width: 21, height: 9) },
            { request in
                request.targetSize = PixelSize(width: 10, height: 10)
                request.processors = [.gray(), .flip(.horizontal)]
            },
        ]
        for (number, option) in options.enumerated() {
            var given = ImageRequest(image: DecodedImage(bitmap: picture), id: "given \(number)")
            var file = ImageRequest(data: png, id: "file \(number)")
            option(&given)
            option(&file)
            let (one, other) = (try await loader.image(for: given), try await loader.image(for: file))
            #expect(one.bitmap == other.bitmap && one.originalSize == other.originalSize, "\(number)")
            let encoded = try await loader.encoded(for: given, as: PNGEncoder())
            let read = try ImageFormat.png.decoder().decode(encoded.data, DecodeRequest())
            #expect(read.bitmap == one.bitmap, "\(number)")
        }
    }

    @Test(.enabled(if: ColorConversion.isAvailable)) func colors_areConverted() async throws {
        let profile = ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data
        let image = DecodedImage(bitmap: picture, format: nil, originalSize: picture.size, profile: profile)
        var request = ImageRequest(image: image, id: "colors")
        #expect(try await loader.image(for: request).profile == profile)
        request.convertsToSRGB = true
        let converted = try await loader.image(for: request)
        #expect(converted.profile == nil)
        #expect(try converted.bitmap == ColorConversion(profile: profile)?.apply(to: picture, limits: DecodeLimits()))
    }

    @Test func animation_isScaledFrameByFrame() async throws {
        let frames = try (0..<3).map { AnimationFrame(try Pictures.noise(24, 16, seed: $0), delay: .milliseconds(100)) }
        let gif = try GIFEncoder().encode(frames)
        let decoded = try await loader.image(for: ImageRequest(data: gif, id: "whole"))
        var given = ImageRequest(image: decoded, id: "given")
        var file = ImageRequest(data: gif, id: "file")
        (given.targetSize, file.targetSize) = (PixelSize(width: 12, height: 8), PixelSize(width: 12, height: 8))
        let scaled = try #require(try await loader.image(for: given).animation)
        let expected = try #require(try await loader.image(for: file).animation)
        for index in 0..<3 { #expect(try await scaled.frame(at: index) == expected.frame(at: index)) }
        given.frames = .first
        #expect(try await loader.image(for: given).animation == nil)
    }

    @Test func closure_isSharedAndItsErrorIsNamed() async throws {
        let failing = ImageRequest(image: { throw Broken() }, id: "failing")
        await #expect(throws: ImageLoaderError.sourceFailed(UnderlyingError(Broken()))) {
            try await loader.image(for: failing)
        }
        let (calls, gate) = (Recorder<Void>(), Recorder<Void>())
        let slow = ImageRequest(
            image: { [picture] in
                calls.record(())
                await gate.wait { !$0.isEmpty }
                return DecodedImage(bitmap: picture)
            }, id: "slow")
        let tasks = (0..<5).map { _ in loader.imageTask(for: slow) }
        await fixture.untilCoalesced(4)
        gate.record(())
        for task in tasks { #expect(try await task.value.image.bitmap === picture) }
        #expect(calls.values.count == 1)
    }

    @Test func bytes_areRefused() async throws {
        let request = ImageRequest(image: DecodedImage(bitmap: picture), id: "frame")
        let error = ImageLoaderError.unsupportedConfiguration("the bytes of the provided image frame")
        await #expect(throws: error) { try await loader.data(for: request) }
        await #expect(throws: error) { try await loader.dataResponse(for: request) }
        let prefetcher = ImagePrefetcher(loader, destination: .disk)
        var outcomes = prefetcher.outcomes.makeAsyncIterator()
        prefetcher.start([request])
        let outcome = try #require(await outcomes.next())
        #expect(outcome.result == .failure(error))
    }
}
