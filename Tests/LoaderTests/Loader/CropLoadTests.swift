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

    @Test func impossibleFocus_isAnError() async throws {
        let error = ImageLoaderError.unsupportedConfiguration("a crop with focus 2.0 0.0")
        await #expect(throws: error) { try await fixture.makeLoader().image(for: request(.focus(x: 2, y: 0))) }
        #expect(fixture.transport.callCount == 0)
    }
}
#endif
