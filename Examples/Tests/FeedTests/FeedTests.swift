import Alcedo
import AlcedoTestSupport
import Feed
import Foundation
import Testing

/// The feed over a scripted transport: no network, no waiting for time to pass.
@MainActor @Suite(.timeLimit(.minutes(1))) struct FeedTests {
    private let transport = ScriptedDataLoader()
    private let feed: Feed
    private let png: Data

    init() throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.download.retry = .none
        let urls = ["a", "b"].compactMap { URL(string: "https://example.org/\($0).png") }
        feed = Feed(urls, loader: ImageLoader(configuration))
        var builder = try BitmapBuilder(size: PixelSize(width: 3, height: 2))
        builder.withBytes { bytes in
            for offset in 0..<24 { bytes.storeBytes(of: 255, toByteOffset: offset, as: UInt8.self) }
        }
        png = try PNGEncoder().encode(builder.freeze())
    }

    @Test func aRow_hasAPlaceholder_untilItsImageIsThere() async throws {
        feed.appear(0)
        let call = try await transport.nextCall()
        #expect(feed.rows == [.placeholder, .placeholder])
        call.respond(expectedBytes: png.count)
        call.send(png)
        call.finish()
        await feed.settle(0)
        #expect(feed.rows == [.image(PixelSize(width: 3, height: 2)), .placeholder])
    }

    @Test func aRowThatLeavesTheScreen_closesItsConnection() async throws {
        feed.appear(1)
        let call = try await transport.nextCall()
        feed.disappear(1)
        try await call.cancelled()
        #expect(feed.rows[1] == .placeholder)
    }

    @Test func aMissingImage_isShownAsFailed() async throws {
        feed.appear(0)
        try await transport.nextCall().fail(.badStatus(404))
        await feed.settle(0)
        #expect(feed.rows[0] == .failed(.badStatus))
    }
}
