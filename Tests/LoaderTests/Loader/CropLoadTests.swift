#if os(Linux) && PNG
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Parts of one picture are different images, in memory and on disk.
@Suite(.timeLimit(.minutes(1))) struct CropLoadTests {
    private let fixture: LoaderFixture

    init() throws {
        let png = try PNGEncoder().encode(Pictures.make(80, 20) { x, _ in [UInt8(x * 3), 0, 90, 255] })
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
    }

    private func request(_ anchor: CropAnchor) throws -> ImageRequest {
        try .test {
            $0.targetSize = PixelSize(width: 20, height: 20)
            $0.contentMode = .crop
            $0.cropAnchor = anchor
        }
    }

    @Test func anchors_areDifferentImages() async throws {
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        for source in [ImageSource.network, .disk] {
            let loader = ImageLoader(configuration, calls: fixture.calls)
            for (anchor, red) in [(CropAnchor.left, 0), (.center, 90), (.focus(x: 0.75, y: 0.5), 150), (.right, 180)] {
                let response = try await loader.response(for: request(anchor))
                #expect(response.image.bitmap[0, 0].x == UInt8(red))
                // All parts share one download.
                #expect(response.source == source || source == .network && anchor != .left)
            }
            await loader.close()
        }
        #expect(fixture.transport.callCount <= 4)
    }

    @Test func regions_areDifferentImages() async throws {
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        for source in [ImageSource.network, .disk] {
            let loader = ImageLoader(configuration, calls: fixture.calls)
            for (x, size) in [(0, 10), (30, 10), (30, 20), (60, 20)] {
                let request = try ImageRequest.test {
                    $0.region = PixelRectangle(x: x, y: 0, width: size, height: 10)
                    $0.precision = .atLeast
                }
                let response = try await loader.response(for: request)
                #expect(response.image.bitmap[0, 0].x == UInt8(x * 3) && response.image.size.width == size)
                #expect(response.source == source || source == .network && x > 0)
            }
            // A part never stands in for the whole.
            let whole = try await loader.image(for: .test { $0.targetSize = PixelSize(width: 80, height: 20) })
            #expect(whole.size == PixelSize(width: 80, height: 20))
            await loader.close()
        }
    }

    @Test func impossibleRegion_isAnError() async throws {
        let loader = fixture.makeLoader()
        let negative = try ImageRequest.test { $0.region = PixelRectangle(x: -1, y: 0, width: 9, height: 9) }
        let error = ImageLoaderError.unsupportedConfiguration("a region of 9 × 9 at (-1, 0)")
        await #expect(throws: error) { try await loader.image(for: negative) }
        #expect(fixture.transport.callCount == 0)
        let outside = try ImageRequest.test { $0.region = PixelRectangle(x: 80, y: 0, width: 9, height: 9) }
        let reason = "a region of 9 × 9 at (80, 0), outside the image of 80 × 20"
        for _ in 0..<2 {
            await #expect(throws: ImageLoaderError.unsupportedConfiguration(reason)) {
                try await loader.image(for: outside)
            }
            // The image itself isn't to blame.
            #expect(try await loader.image(for: .test()).size == PixelSize(width: 80, height: 20))
        }
        #expect(fixture.cacheFailures.isEmpty)
    }

    @Test func impossibleFocus_isAnError() async throws {
        let error = ImageLoaderError.unsupportedConfiguration("a crop with focus 2.0 0.0")
        await #expect(throws: error) { try await fixture.makeLoader().image(for: request(.focus(x: 2, y: 0))) }
        #expect(fixture.transport.callCount == 0)
    }
}
#endif
