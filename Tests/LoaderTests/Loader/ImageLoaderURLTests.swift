import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A URL does what a request without options does.
@Suite(.timeLimit(.minutes(1))) struct ImageLoaderURLTests {
    private let png: Data
    private let url: URL
    private let fixture: LoaderFixture

    init() throws {
        let png = try Pictures.png()
        self.png = png
        url = try .test()
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
    }

    @Test func responses_comeFromNetworkThenMemory() async throws {
        let loader = fixture.makeLoader()
        #expect(loader.memoryResponse(for: url) == nil && loader.cachedResponse(for: url) == nil)
        let first = try await loader.response(for: url)
        #expect(first.source == .network && first.image.size == PixelSize(width: 8, height: 6))
        #expect(loader.cachedResponse(for: url)?.image.bitmap === first.image.bitmap)
        let request = ImageRequest(url: url)
        #expect(loader.memoryResponse(for: url)?.source == loader.memoryResponse(for: request)?.source)
        var sources: [ImageSource] = []
        for try await response in loader.responses(for: url) { sources.append(response.source) }
        #expect(sources.first == .memory)
    }

    @Test func bytes_areLoaded() async throws {
        let loader = fixture.makeLoader()
        #expect(try await loader.data(for: url) == png)
        await loader.flush()
        #expect(try await loader.dataResponse(for: url).data == png)
        #expect(try await loader.dataTask(for: url).value == png)
    }

    @Test func handle_isOfThatURL() async throws {
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: url)
        #expect(task.request == ImageRequest(url: url))
        #expect(try await task.image.size == PixelSize(width: 8, height: 6))
    }

    @Test func loadUnderWay_isFound() async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: url)
        let call = try await transport.nextCall()
        #expect(await loader.isLoading(url))
        call.answer(png)
        _ = try await task.image
    }

    @Test func storedImages_areFound_untilTheyAreRemoved() async throws {
        let loader = fixture.makeLoader()
        let image = DecodedImage(bitmap: try Pictures.gradient(8, 6))
        try await loader.store(image, for: url)
        #expect(await loader.contains(url, in: .memory))
        #expect(await !loader.contains(url, in: .disk))
        await loader.remove(url)
        #expect(await !loader.contains(url))
        try await loader.store(png, for: url)
        #expect(await loader.contains(url, in: .disk))
        await loader.remove(url)
        try await loader.store(image, data: png, for: url)
        #expect(await loader.contains(url, in: .disk) && loader.cachedImage(for: url) != nil)
        #expect(fixture.transport.callCount == 0)
    }

    @Test func imagesAtURLs_areLoadedInOneGo() async throws {
        let loader = fixture.makeLoader()
        let urls = try ["a.png", "b.png", "c.png"].map { try URL.test($0) }
        var loaded: [URL?] = []
        for await element in loader.images(for: urls, order: .asRequested) {
            _ = try element.result.get()
            loaded.append(element.request.url)
        }
        #expect(loaded == urls)
        for await _ in loader.images(for: []) { Issue.record("an element of an empty list") }
    }
}
