import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Points and pixels, and what becomes of images that are too large.
@Suite(.timeLimit(.minutes(1))) struct ScaleTests {
    private let fixture: LoaderFixture

    init() throws {
        let png = try Pictures.png(40, 30)
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png, headers: ["Cache-Control": "max-age=60"]) })
    }

    // MARK: Scale

    @Test(arguments: [
        ("a.png", 1.0), ("a@2x.png", 2), ("a@3x.jpeg?x@4x.png", 3), ("a@x.png", 1), ("a@0x.png", 1), ("a2x.png", 1),
        ("a@2x.b.png", 1), ("@2x", 2), ("a@2x", 2), ("b@2x/a.png", 1), ("a%402x.png", 2),
    ])
    func scaleInName_isReadWhenAsked(path: String, scale: Double) async throws {
        let loader = fixture.makeLoader()
        var request = try ImageRequest.test(path)
        #expect(try await loader.image(for: request).scale == 1)
        request.scale = .fromName
        let image = try await loader.image(for: request)
        #expect(image.scale == scale && image.size == PixelSize(width: 40, height: 30))
        #expect(loader.cachedImage(for: request)?.scale == scale)
    }

    @Test(arguments: [DiskContents.originals, .both])
    func scale_isCarried_whereverTheImageComesFrom(contents: DiskContents) async throws {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        let runs = CountingProcessor.Runs()
        let scales = Recorder<Double>()
        runs.gate.withLock { $0 = { scales.record($0.scale) } }
        for processors in [[], [CountingProcessor(1, runs), CountingProcessor(2, runs)]] {
            var request = try ImageRequest.test {
                $0.scale = .factor(2.5)
                $0.processors = processors
            }
            let loader = ImageLoader(configuration, calls: fixture.calls)
            for _ in 0..<2 { #expect(try await loader.image(for: request).scale == 2.5) }
            await loader.flush()
            let second = ImageLoader(configuration, calls: fixture.calls)
            #expect(try await second.image(for: request).scale == 2.5)
            request.scale = .factor(2)
            #expect(try await second.image(for: request).scale == 2)
        }
        #expect(Set(scales.values) == [2.5, 2])
        #expect(fixture.transport.callCount == 1)
    }

    /// The image's own scale doesn't matter.
    @Test(arguments: [ImageScale.factor(2), .fromName])
    func storedImage_hasTheScaleOfItsRequest(scale: ImageScale) async throws {
        let request = try ImageRequest.test("a@2x.png") { $0.scale = scale }
        for own in [1.0, 3] {
            let loader = fixture.makeLoader()
            let image = DecodedImage(bitmap: try Pictures.plain(4, 4)).withScale(own)
            try await loader.store(image, for: request, in: .all)
            #expect(loader.cachedImage(for: request)?.scale == 2)
            #expect(loader.cachedImage(for: request)?.bitmap === image.bitmap)
            await loader.flush()
            #expect(try await fixture.makeLoader().image(for: request).scale == 2)
        }
        #expect(fixture.transport.callCount == 0)
    }

    @Test(arguments: [0, -1, .nan, .infinity])
    func impossibleScale_isAnError(factor: Double) async throws {
        let request = try ImageRequest.test { $0.scale = .factor(factor) }
        await #expect(throws: ImageLoaderError.unsupportedConfiguration("a scale of \(factor)")) {
            try await fixture.makeLoader().image(for: request)
        }
        #expect(fixture.transport.callCount == 0)
    }

    // MARK: Too large

    private func loader(_ oversized: DecodeSettings.Oversized, bytes: Int, _ file: Data) throws -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk = nil
        configuration.decode.oversized = oversized
        configuration.decode.limits.bitmapBytes = bytes
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(file) }
        return ImageLoader(configuration)
    }

    @Test(arguments: encoders)
    func oversizedImage_isScaledDown(encoder: any ImageEncoding) async throws {
        let file = try encoder.encode(Pictures.gradient(301, 200))
        let whole = 4 * 301 * 200
        for bytes in [whole, whole - 1, 100_000, 4_000, 40] {
            let image = try await loader(.scaledDown, bytes: bytes, file).image(for: .test())
            #expect(image.bitmap.byteCount <= bytes && image.originalSize == PixelSize(width: 301, height: 200))
            #expect((bytes == whole) == (image.size == image.originalSize))
            // No smaller than needed, and of the same shape.
            #expect(image.bitmap.byteCount > bytes * 9 / 10 - 400)
            guard bytes < whole else { continue }
            await #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: whole, allowed: bytes)) {
                try await loader(.refused, bytes: bytes, file).image(for: .test())
            }
        }
    }

    /// Its shorter side stays as it is.
    @Test(arguments: [PixelSize(width: 3_000, height: 1), PixelSize(width: 1, height: 3_000)])
    func oversizedRow_isScaledDown(size: PixelSize) async throws {
        let file = try PNGEncoder().encode(Pictures.plain(size.width, size.height))
        let image = try await loader(.scaledDown, bytes: 40, file).image(for: .test())
        #expect(image.size.width * image.size.height == 10 && min(image.size.width, image.size.height) == 1)
    }
}

#if os(Linux) && WebP
private let encoders: [any ImageEncoding] = [PNGEncoder(), JPEGEncoder(), WebPEncoder()]
#else
private let encoders: [any ImageEncoding] = [PNGEncoder(), JPEGEncoder()]
#endif
