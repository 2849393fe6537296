import Alcedo
import AlcedoTestSupport
import Foundation
import NukePort
import Testing

/// The port over a scripted transport, with a separate disk cache.
@Suite(.timeLimit(.minutes(1))) final class NukePortTests: Sendable {
    private let transport = ScriptedDataLoader()
    private let clock = ManualClock()
    private let directory: TemporaryDirectory
    private let face: URL
    private let other: URL
    private let png: Data

    init() throws {
        directory = try TemporaryDirectory()
        face = try #require(URL(string: "https://example.org/face"))
        other = try #require(URL(string: "https://example.org/other"))
        // The file contains noise, because a file that compresses well is too small for previews.
        var random = SystemRandomNumberGenerator()
        var builder = try BitmapBuilder(size: PixelSize(width: 200, height: 150))
        builder.withBytes { bytes in
            for offset in stride(from: 0, to: 200 * 150 * 4, by: 4) {
                bytes.storeBytes(of: random.next() | 0xFF00_0000, toByteOffset: offset, as: UInt32.self)
            }
        }
        png = try PNGEncoder().encode(builder.freeze())
    }

    private func photos(_ dataLoader: ScriptedDataLoader? = nil, disk: Bool = false) -> Photos {
        var configuration = ImageLoader.Configuration.photos(disk: .init(directory: directory.url))
        if !disk { configuration.disk = nil }
        configuration.dataLoader = dataLoader ?? transport
        configuration.clock = clock
        return Photos(configuration)
    }

    private func answering(_ headers: HTTPHeaders = [:]) -> ScriptedDataLoader {
        ScriptedDataLoader { [png] _ in .bytes(png, headers: headers) }
    }

    @Test func anAvatar_isRound_andComesFromMemoryAfterwards() async throws {
        let photos = photos(answering())
        #expect(photos.cachedAvatar(face, pixels: 40) == nil)
        let image = try await photos.avatar(face, pixels: 40).image
        #expect(image.size == PixelSize(width: 40, height: 40))
        #expect(image.bitmap[0, 0].w == 0 && image.bitmap[20, 20].w == 255)
        #expect(photos.cachedAvatar(face, pixels: 40)?.size == image.size)
    }

    @Test func concurrentCallers_shareADownload() async throws {
        let photos = photos()
        let small = photos.loader.imageTask(for: .avatar(face, pixels: 40))
        let large = photos.loader.imageTask(for: .avatar(face, pixels: 80))
        try await transport.nextCall().answer(png)
        #expect(try await small.image.size.width == 40)
        #expect(try await large.image.size.width == 80)
        #expect(transport.callCount == 1)
    }

    @Test func signedURLs_countAsOne() async throws {
        let transport = answering(), photos = photos(transport)
        for signature in ["one", "two"] {
            let signed = face.appending(queryItems: [
                URLQueryItem(name: "Expires", value: "1"), URLQueryItem(name: "Signature", value: signature),
            ])
            _ = try await photos.avatar(signed, pixels: 40)
        }
        #expect(transport.callCount == 1)
    }

    @Test func theDiskCache_hasTheAvatarInsteadOfTheOriginal() async throws {
        // By HTTP's rules, the response is stale immediately, but the second loader sends no request.
        let photos = photos(answering(["Cache-Control": "max-age=0"]), disk: true)
        let loaded = try await photos.avatar(face, pixels: 40)
        await photos.loader.flush()
        let restarted = self.photos(disk: true)
        #expect(await !restarted.loader.contains(ImageRequest(url: face), in: .disk))
        let stored = try await restarted.avatar(face, pixels: 40)
        #expect(stored.source == .disk && stored.image.bitmap == loaded.image.bitmap)
        await restarted.logOut()
        #expect(await !restarted.loader.contains(.avatar(face, pixels: 40)))
        await photos.loader.close()
        await restarted.loader.close()
    }

    @Test func anAvatar_isDownloadedBeforeAPhoto() async throws {
        let photos = photos()
        try await photos.loader.downloads.setMaximumConcurrentDownloads(1)
        await photos.loader.downloads.pause()
        let photo = photos.loader.imageTask(for: ImageRequest(url: other))
        let avatar = photos.loader.imageTask(for: .avatar(face, pixels: 40))
        while await photos.loader.downloads.statistics.queued < 2 { await Task.yield() }
        await photos.loader.downloads.resume()
        #expect(try await transport.nextCall().request.url == face)
        photo.cancel()
        avatar.cancel()
    }

    @Test func aPrefetchedAvatar_isInMemory() async throws {
        let photos = photos()
        photos.startPrefetching([face, other], pixels: 40)
        let calls = [try await transport.nextCall(), try await transport.nextCall()]
        photos.stopPrefetching([other], pixels: 40)
        for call in calls where call.request.url == other { try await call.cancelled() }
        for call in calls where call.request.url == face { call.answer(png) }
        _ = try await photos.avatar(face, pixels: 40)
        #expect(photos.cachedAvatar(face, pixels: 40) != nil)
        #expect(transport.callCount == 2)
    }

    @MainActor @Test func aPhoto_isDrawnAsItArrives() async throws {
        let photos = photos()
        let drawn = AsyncStream<Bitmap>.makeStream()
        async let shown: Void = photos.show(face) { drawn.continuation.yield($0) }
        let call = try await transport.nextCall()
        call.respond(expectedBytes: png.count)
        call.send(png.prefix(png.count / 2))
        let due = ManualClock.Instant(offset: .milliseconds(500))
        try await clock.sleeper(until: due)
        clock.advance(to: due)
        var pictures = drawn.stream.makeAsyncIterator()
        let preview = try #require(await pictures.next(isolation: #isolation))
        call.send(png.dropFirst(png.count / 2))
        call.finish()
        try await shown
        let photo = try #require(await pictures.next(isolation: #isolation))
        #expect(preview[0, 0] == photo[0, 0] && preview[0, 149].w == 0 && photo[0, 149].w == 255)
    }

    @MainActor @Test func aPhotoNobodyWaitsFor_closesItsConnection() async throws {
        let photos = photos()
        let shown = Task { try await photos.show(face) { _ in } }
        let call = try await transport.nextCall()
        shown.cancel()
        try await call.cancelled()
        await #expect(throws: ImageLoaderError.cancelled) { try await shown.value }
    }
}
