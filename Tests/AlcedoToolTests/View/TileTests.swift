import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@MainActor @Suite struct TileTests {
    private let transport = ScriptedDataLoader()
    private let loader: ImageLoader
    private let tile: Tile
    private let request: ImageRequest

    init() throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        loader = ImageLoader(configuration)
        tile = Tile(1, loader, PictureHashes())
        request = try ImageRequest("http://h/a.png")
    }

    /// Shows a picture of the transport in the tile.
    private func show(_ file: Data) async throws -> DecodedImage {
        tile.show(0, request)
        try await transport.nextCall().answer(file)
        return try #require(await tile.slot.settled().response?.image)
    }

    @Test func pictureThatHasLeftMemory_firstShowsItsThumbHash() async throws {
        let hash = try await show(Pictures.png(40, 30)).thumbHash()
        tile.clear()
        tile.show(0, request)
        #expect(tile.slot.shown.picture.image != nil)
        tile.clear()
        await loader.removeAll()
        tile.show(0, request)
        if case .placeholder(.thumbHash(let shown)) = tile.slot.shown.picture {
            #expect(shown == hash)
        } else {
            Issue.record("\(tile.slot.shown.picture)")
        }
        #expect(tile.slot.isLoading && !tile.hasPicture)
        tile.clear()
    }

    @Test func smallPicture_isShownInTheSizeOfTheLargeOne() async throws {
        var small = request
        small.targetSize = PixelSize(width: 8, height: 6)
        async let loaded = loader.image(for: small)
        try await transport.nextCall().answer(Pictures.png(40, 30))
        tile.show(0, request, preview: try await loaded)
        #expect(tile.slot.isLoading)
        let raster = tile.raster(in: PixelSize(width: 100, height: 20), checker: 2)?.raster
        #expect(raster?.width == 27 && raster?.height == 20)
        tile.clear()
    }

    /// The screen shows all its pictures again with each key.
    @Test func failedPicture_isLoadedAgain_onlyOnRequest() async throws {
        tile.show(0, request)
        try await transport.nextCall().answer(status: 404)
        #expect(await tile.slot.settled().error == .badStatus(404))
        tile.show(0, request)
        #expect(!tile.slot.isLoading && transport.callCount == 1)
        tile.slot.reload()
        try await transport.nextCall().answer(Pictures.png(40, 30))
        #expect(await tile.slot.settled().response != nil)
        // In another size, it is another load.
        tile.slot.reload()
        try await transport.nextCall().answer(status: 404)
        await tile.slot.settled()
        #expect(tile.slot.error == .badStatus(404))
        var large = request
        large.targetSize = PixelSize(width: 400, height: 300)
        tile.show(0, large)
        #expect(tile.slot.isLoading)
        tile.clear()
    }

    @Test func loadedPicture_isStill() async throws {
        tile.show(0, request)
        #expect(!tile.isStill)
        try await transport.nextCall().answer(Pictures.png(40, 30))
        await tile.slot.settled()
        #expect(tile.isStill)
        tile.clear()
        #expect(!tile.isStill)
    }

    @Test func animation_isNotStill() async throws {
        let frames = try [0, 200].map { red in
            AnimationFrame(try Pictures.plain(4, 3, [red, 0, 0, 255]), delay: .seconds(600))
        }
        #expect(try await show(GIFEncoder().encode(frames, loopCount: .forever)).animation != nil)
        #expect(!tile.isStill && tile.hasPicture)
        tile.clear()
    }
}
