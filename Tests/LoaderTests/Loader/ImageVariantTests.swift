import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What is made of the bytes of one picture: sizes, parts, frames. Each is a picture of its own, and all share the
/// bytes.
@Suite(.timeLimit(.minutes(1))) struct ImageVariantTests {
    private let fixture: LoaderFixture
    private let transport: ScriptedDataLoader

    init() throws {
        let still = try Pictures.jpeg(160, 120)
        let animation = GIFFixture.animation(3).data
        transport = ScriptedDataLoader { $0.url.path.hasSuffix("gif") ? .bytes(animation) : .bytes(still) }
        fixture = try LoaderFixture(transport)
    }

    private static let room = PixelSize(width: 64, height: 64)

    private func request(_ change: (inout ImageRequest) -> Void = { _ in }) throws -> ImageRequest {
        try .test("a.jpg") {
            $0.targetSize = Self.room
            change(&$0)
        }
    }

    @Test func eachVariant_isSeparateImage_ofOneDownload() async throws {
        let loader = fixture.makeLoader()
        let forms: [(ImageRequest, PixelSize)] = [
            (try .test("a.jpg"), PixelSize(width: 160, height: 120)),
            (try request(), PixelSize(width: 64, height: 48)),
            (try request { $0.contentMode = .fill }, PixelSize(width: 85, height: 64)),
            (try request { $0.contentMode = .crop }, PixelSize(width: 64, height: 64)),
            (
                try request {
                    $0.targetSize = PixelSize(width: 320, height: 320)
                    $0.allowsUpscaling = true
                }, PixelSize(width: 320, height: 240)
            ),
        ]
        for round in 0..<2 {
            for (request, size) in forms {
                let response = try await loader.response(for: request)
                #expect(response.image.size == size)
                #expect(response.image.originalSize == PixelSize(width: 160, height: 120))
                if round == 1 { #expect(response.source == .memory) }
            }
        }
        #expect(Set(forms.map { ImageKey($0.0) }).count == forms.count)
        #expect(transport.callCount == 1)
    }

    @Test func largerImage_servesUncroppedVariants() async throws {
        let loader = fixture.makeLoader()
        func isServed(by kept: ImageRequest, _ asked: ImageRequest) async throws -> Bool {
            await loader.removeAll()
            _ = try await loader.image(for: kept)
            var asked = asked
            asked.precision = .atLeast
            return loader.cachedImage(for: asked) != nil
        }
        let small = PixelSize(width: 32, height: 32)
        #expect(try await isServed(by: request(), request { $0.targetSize = small }))
        #expect(
            try await isServed(
                by: request { $0.contentMode = .fill }, request { ($0.targetSize, $0.contentMode) = (small, .fill) }))
        #expect(try await isServed(by: .test("a.jpg"), request { $0.contentMode = .fill }))
        #expect(try await !isServed(by: request { $0.contentMode = .fill }, request { $0.targetSize = small }))
        #expect(
            try await !isServed(
                by: request { $0.contentMode = .crop }, request { ($0.targetSize, $0.contentMode) = (small, .crop) }))
        #expect(try await !isServed(by: .test("a.jpg"), request { $0.contentMode = .crop }))
        #expect(try await !isServed(by: .test("a.jpg") { $0.frames = .first }, request()))
        // 160 pixels are fewer than 320.
        let large = try request { ($0.targetSize, $0.allowsUpscaling) = (PixelSize(width: 320, height: 320), true) }
        #expect(try await !isServed(by: .test("a.jpg"), large))
    }

    @Test func scaledImages_areSeparateOnDisk() async throws {
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        let first = ImageLoader(configuration, calls: fixture.calls)
        let requests = [
            try request(), try request { $0.contentMode = .fill }, try request { $0.contentMode = .crop },
            try request { $0.allowsUpscaling = true },
        ]
        for request in requests { _ = try await first.image(for: request) }
        await first.flush()
        #expect(await first.diskCache?.entries().count == 4)
        let second = ImageLoader(configuration, calls: fixture.calls)
        for request in requests {
            let found = try await second.response(for: request)
            #expect(found.source == .disk)
            #expect(try await first.image(for: request).bitmap == found.image.bitmap)
        }
    }

    @Test func animation_isStoredAsBytes_andFoundAsAnimation() async throws {
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        let first = ImageLoader(configuration, calls: fixture.calls)
        var request = try ImageRequest.test("a.gif")
        request.targetSize = PixelSize(width: 8, height: 8)
        let moving = try await first.image(for: request)
        #expect(moving.animation?.frameCount == 3)
        #expect(moving.byteCount > moving.bitmap.byteCount)
        request.frames = .first
        let still = try await first.image(for: request)
        #expect(still.animation == nil)
        #expect(still.bitmap == moving.bitmap)
        await first.flush()
        let second = ImageLoader(configuration, calls: fixture.calls)
        request.frames = .all
        let found = try await second.response(for: request)
        #expect(found.source == .disk)
        #expect(found.image.animation?.frameCount == 3)
        request.frames = .first
        #expect(try await second.image(for: request).animation == nil)
        #expect(transport.callCount == 1)
    }
}
