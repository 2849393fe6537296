import AlcedoTestSupport
import Foundation
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
            let disk = try #require(loader.path.disk)
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
