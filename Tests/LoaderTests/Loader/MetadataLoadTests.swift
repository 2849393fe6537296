#if os(Linux) && JPEG && PNG
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Images that are loaded with their metadata.
@Suite(.timeLimit(.minutes(1))) struct MetadataLoadTests {
    private let fixture: LoaderFixture

    init() throws {
        var encoder = JPEGEncoder()
        encoder.metadata = .keep
        var metadata = ImageMetadata()
        metadata.caption = "A kingfisher"
        let photo = try encoder.encode(DecodedImage(bitmap: Pictures.gradient(80, 60)).withMetadata(metadata))
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(photo) })
    }

    private func loader(_ contents: DiskContents = .originals) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ side: Int? = nil, _ processors: [any ImageProcessing] = []) throws -> ImageRequest {
        try .test {
            $0.targetSize = side.map { PixelSize(width: $0, height: $0) }
            $0.processors = processors
            $0.keepsMetadata = true
        }
    }

    @Test func metadata_comesOnlyOnDemand() async throws {
        let loader = loader()
        #expect(try await loader.image(for: .test()).metadata == nil)
        #expect(try await loader.image(for: request()).metadata?.caption == "A kingfisher")
        #expect(try loader.cachedImage(for: request())?.metadata?.caption == "A kingfisher")
        #expect(try await loader.image(for: .test()).metadata == nil)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func metadata_outlivesProcessors() async throws {
        let image = try await loader().image(for: request(40, [CircleProcessor()]))
        #expect(image.metadata?.caption == "A kingfisher" && image.size.width == 30)
    }

    @Test func imageWithoutMetadata_doesNotServe() async throws {
        let loader = loader()
        _ = try await loader.image(for: .test { $0.targetSize = PixelSize(width: 60, height: 60) })
        var smaller = try request(20)
        smaller.precision = .atLeast
        #expect(try await loader.image(for: smaller).metadata?.caption == "A kingfisher")
    }

    @Test(arguments: DiskContents.allCases) func metadata_isOnDisk(_ contents: DiskContents) async throws {
        for request in [try request(24), try request(24, [GrayProcessor()])] {
            let first = loader(contents)
            let made = try await first.image(for: request)
            await first.flush()
            let found = try await loader(contents).response(for: request)
            #expect(found.source == .disk && found.image.bitmap == made.bitmap)
            #expect(found.image.metadata?.caption == "A kingfisher")
        }
        #expect(fixture.transport.callCount == 1)
    }
}
#endif
