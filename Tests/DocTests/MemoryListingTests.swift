import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The listings about the memory cache do what the text beside them says.
@Suite(.timeLimit(.minutes(1))) struct MemoryListingTests {
    private let url = URL(string: "https://example.org/avatars/a.png")

    private func loader() -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader { _ in .status(404) }
        return ImageLoader(configuration)
    }

    @Test func whatIsStored_servesSmallerRequests_untilItIsRemoved() async throws {
        let url = try #require(url)
        let loader = loader()
        let picture = DecodedImage(bitmap: try Pictures.gradient(300, 300))
        try await Memory.store(picture, Pictures.png(300, 300), for: url, with: loader)
        #expect(loader.cachedImage(for: url)?.size.width == 300)
        #expect(try await loader.image(for: Memory.thumbnail(url)).size.width == 300)
        try await Memory.remove(url, from: loader)
        #expect(loader.cachedImage(for: url) == nil)
    }

    @Test func theSettings_areWhatTheListingSays() {
        let memory = Memory.settings().memory
        #expect(memory.maximumBytes == 268_435_456)
        #expect(memory.maximumBytesPerImage == 67_108_864)
        #expect(memory.timeToLive == .seconds(3_600))
        #expect(memory.watchesMemoryPressure)
    }
}
