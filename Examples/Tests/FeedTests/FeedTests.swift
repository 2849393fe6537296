import Alcedo
import AlcedoTestSupport
import Feed
import Foundation
import Testing

/// The feed over a scripted transport. The tests use no network and wait for no time to pass.
@MainActor @Suite(.timeLimit(.minutes(1))) final class FeedTests {
    private static let placeholder: SIMD4<UInt8> = [230, 230, 230, 255]
    private static let failure: SIMD4<UInt8> = [250, 200, 200, 255]
    private static let red: SIMD4<UInt8> = [200, 0, 0, 255]
    private static let green: SIMD4<UInt8> = [0, 200, 0, 255]

    private let transport = ScriptedDataLoader()
    private let clock = ManualClock()
    private let urls = (0..<3).compactMap { URL(string: "https://example.org/\($0)") }
    private let loader: ImageLoader
    private let feed: Feed

    init() {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.download.retry = .none
        loader = ImageLoader(configuration)
        feed = Feed(urls, size: PixelSize(width: 64, height: 64), loader: loader, clock: clock) { RecordingCanvas() }
    }

    @Test func aCell_hasAPlaceholder_untilItsPhotoIsThere() async throws {
        feed.scroll(to: 0..<1)
        let canvas = try canvas(0)
        #expect(canvas.colors == [Self.placeholder])
        try await answer(0, with: png(Self.red))
        await canvas.shows(Self.red)
        #expect(canvas.colors == [Self.placeholder, Self.red])
    }

    @Test func aReusedCell_neverShowsALatePhoto() async throws {
        let other = loader.imageTask(for: photo(0))  // keeps the load alive without the cell
        feed.scroll(to: 0..<1)
        let canvas = try canvas(0)
        feed.scroll(to: 1..<2)
        #expect(try self.canvas(1) === canvas)
        try await answer(0, with: png(Self.red))
        _ = try await other.image
        try await answer(1, with: png(Self.green))
        await canvas.shows(Self.green)
        #expect(!canvas.colors.contains(Self.red))
    }

    @Test func aPrefetchedPhoto_isShownAtOnce() async throws {
        feed.scroll(to: 0..<1)
        _ = (try await call(0), try await call(2))
        try await answer(1, with: png(Self.green))
        _ = try await loader.image(for: photo(1))
        feed.scroll(to: 1..<2)
        #expect(try canvas(1).colors.last == Self.green)
        #expect(transport.callCount == urls.count)
    }

    @Test func aPhotoThatIsBeingPrefetched_isRequestedOnce() async throws {
        feed.scroll(to: 0..<1)
        _ = (try await call(0), try await call(2))
        let call = try await call(1)
        feed.scroll(to: 1..<2)
        call.answer(try png(Self.green))
        try await canvas(1).shows(Self.green)
        #expect(transport.callCount == urls.count)
    }

    @Test func scrollingUp_prefetchesWhatIsAbove() async throws {
        feed.scroll(to: 2..<3)
        feed.scroll(to: 1..<2)
        #expect(try await call(0).request.url == urls[0])
    }

    @Test func leaving_closesTheConnections() async throws {
        feed.scroll(to: 0..<1)
        let shown = try await call(0), prefetched = try await call(1)
        feed.scroll(to: 2..<3)
        try await shown.cancelled()
        try await prefetched.cancelled()
    }

    @Test func aFailedPhoto_isTriedAgain() async throws {
        feed.scroll(to: 0..<1)
        let canvas = try canvas(0)
        try await call(0).fail(.badStatus(404))
        await canvas.shows(Self.failure)
        #expect(feed.error(0) == .badStatus(404))
        feed.retry(0)
        try await answer(0, with: png(Self.red))
        await canvas.shows(Self.red)
        #expect(feed.error(0) == nil)
    }

    @Test func anAnimation_stopsWhenItsCellLeaves() async throws {
        feed.scroll(to: 0..<1)
        let canvas = try canvas(0)
        try await answer(0, with: gif())
        await canvas.shows(Self.red)
        clock.advance(to: try await clock.nextSleeper())
        await canvas.shows(Self.green)
        _ = try await clock.nextSleeper()
        feed.scroll(to: 1..<2)
        #expect(clock.sleeperCount == 0)
        clock.advance(by: .seconds(60))
        #expect(canvas.colors == [Self.placeholder, Self.red, Self.green, nil, Self.placeholder])
    }

    private func canvas(_ row: Int) throws -> RecordingCanvas {
        try #require(feed.canvas(row) as? RecordingCanvas)
    }

    private func photo(_ row: Int) -> ImageRequest {
        var photo = ImageRequest(url: urls[row])
        photo.targetSize = PixelSize(width: 64, height: 64)
        return photo
    }

    /// Waits for the next request for a photo, and returns it.
    private func call(_ row: Int) async throws -> ScriptedDataLoader.Call {
        try await transport.nextCall(for: urls[row])
    }

    private func answer(_ row: Int, with body: Data) async throws { try await call(row).answer(body) }

    private func picture(_ color: SIMD4<UInt8>) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: 1, height: 1))
        builder.withBytes { $0.storeBytes(of: color, as: SIMD4<UInt8>.self) }
        return builder.freeze()
    }

    private func png(_ color: SIMD4<UInt8>) throws -> Data { try PNGEncoder().encode(picture(color)) }

    private func gif() throws -> Data {
        let frames = try [Self.red, Self.green].map { AnimationFrame(try picture($0), delay: .milliseconds(100)) }
        return try GIFEncoder().encode(frames, loopCount: .forever)
    }
}
