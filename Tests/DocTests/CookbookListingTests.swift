import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The listings of the cookbook do what the text beside them says.
@Suite(.timeLimit(.minutes(1))) struct CookbookListingTests {
    private let url: URL
    private let loader: ImageLoader

    init() throws {
        url = try #require(URL(string: "https://host.test/a.png"))
        loader = Usage.scripted(try Pictures.png(width: 40, height: 30))
    }

    @Test func thumbnails_areFilesInOrder() async throws {
        let folder = try TemporaryDirectory()
        let other = try #require(URL(string: "https://host.test/b.png"))
        await makeThumbnails(of: [url, other], in: folder.url, with: loader)
        for name in ["0.jpg", "1.jpg"] {
            let file = try Data(contentsOf: folder.url.appending(path: name))
            #expect(ImageFormat(sniffing: file) == .jpeg)
            #expect(try ImageDecoders.builtIn.decode(file).size == PixelSize(width: 256, height: 256))
        }
    }

    @Test func anAvatar_isASquareWithRoundedCorners() async throws {
        let image = try await avatar(at: url, side: 20, with: loader)
        #expect(image.size == PixelSize(width: 20, height: 20))
        #expect(image.bitmap[0, 0].w == 0)
        #expect(image.bitmap[10, 10].w == 255)
    }

    @Test func offline_onlyCachedImagesAreReturned() async throws {
        #expect(try await image(at: url, isOffline: true, with: loader) == nil)
        #expect(try await image(at: url, isOffline: false, with: loader) != nil)
        #expect(try await image(at: url, isOffline: true, with: loader) != nil)
    }

    @Test func imagesOfAUser_areRemovedByTheirTag() async throws {
        let other = try #require(URL(string: "https://host.test/b.png"))
        _ = try await image(at: url, ofUser: "7", with: loader)
        _ = try await image(at: other, ofUser: "8", with: loader)
        try await removeImages(ofUser: "7", from: loader)
        #expect(loader.cachedImage(for: url) == nil)
        #expect(loader.cachedImage(for: other) != nil)
    }

    @Test func aStillImage_isNoAnimation() async throws {
        let frame = AnimationFrame(try Usage.drawing(), delay: .milliseconds(100))
        let off = AnimationFrame(try BitmapBuilder(size: frame.bitmap.size).freeze(), delay: .milliseconds(100))
        let loader = Usage.scripted(try GIFEncoder().encode([frame, off]))
        #expect(try await loader.image(for: url).animation?.frameCount == 2)
        #expect(try await stillImage(at: url, with: loader).animation == nil)
    }

    @Test func aClientThatHasTheThumbnail_getsNoBytes() async throws {
        let first = await thumbnail(of: url, accept: "image/jpeg", tag: nil, with: loader)
        #expect(first.status == 200)
        #expect(ImageFormat(sniffing: first.body) == .png)
        let tag = try #require(first.headers["ETag"])
        let second = await thumbnail(of: url, accept: "image/jpeg", tag: tag, with: loader)
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
    }

    @Test func aChart_isDrawnOnce() async throws {
        let image = DecodedImage(bitmap: try Usage.drawing())
        let made = try await chart("sales", with: loader) { image }
        #expect(made.size == image.size)
        let again = try await chart("sales", with: loader) {
            Issue.record("the chart was drawn again")
            return image
        }
        #expect(again.size == image.size)
    }
}
