import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The listings about the disk cache do what the text beside them says.
@Suite(.timeLimit(.minutes(1))) struct DiskListingTests {
    @Test func whatIsStored_isSeen_untilItIsRemoved() async throws {
        let temporary = try TemporaryDirectory()
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        configuration.dataLoader = ScriptedDataLoader { _ in .status(404) }
        let loader = ImageLoader(configuration)
        let url = try #require(URL(string: "https://example.org/avatars/a.png"))
        let bytes = try Pictures.png(30, 20)
        try await loader.store(bytes, for: ImageRequest(url: url), in: .disk)
        let (isThere, entry, statistics) = await Disk.look(url, with: loader)
        #expect(isThere)
        #expect(entry?.size == PixelSize(width: 30, height: 20))
        let file = try Data(contentsOf: try #require(entry).file)
        #expect(file.starts(with: bytes))
        #expect(statistics?.entryCount == 1)
        #expect(statistics?.byteCount == entry?.byteCount)
        await Disk.remove(url, from: loader)
        #expect(await loader.diskCache?.entries().isEmpty == true)
    }

    @Test func theSettings_areWhatTheListingSays() throws {
        let disk = try #require(Disk.settings().disk)
        #expect(disk.directory.lastPathComponent == "avatars")
        #expect(
            disk.directory.deletingLastPathComponent()
                == DiskStore.Settings().directory.deletingLastPathComponent())
        #expect(disk.maximumBytes == 209_715_200)
        #expect(disk.timeToLive == .seconds(2_592_000))
        #expect(disk.minimumFreeBytes == 524_288_000)
        #expect(disk.contents == .both)
    }
}
