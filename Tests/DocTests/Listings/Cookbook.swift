// region: cookbook-test
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Test(.timeLimit(.minutes(1))) func anImage_isDownloadedOnce() async throws {
    let png = try Pictures.png(width: 40, height: 30)
    let transport = ScriptedDataLoader { _ in .bytes(png) }
    var configuration = ImageLoader.Configuration()
    configuration.disk = nil
    configuration.dataLoader = transport
    let loader = ImageLoader(configuration)
    let url = try #require(URL(string: "https://example.org/a.png"))

    _ = try await loader.image(for: url)
    let image = try await loader.image(for: url)

    #expect(image.size == PixelSize(width: 40, height: 30))
    #expect(transport.callCount == 1)
}
// endregion

// The other listings of the cookbook, one function or type for each.

// region: cookbook-thumbnails
/// Writes a JPEG of 256 × 256 pixels for each URL: 0.jpg, 1.jpg and so on.
func makeThumbnails(
    of urls: [URL], in folder: URL,
    with loader: ImageLoader = ImageLoader(.server)
) async {
    await withTaskGroup(of: Void.self) { group in
        for (number, url) in urls.enumerated() {
            if number >= 16 { _ = await group.next() }  // 16 at a time
            let file = folder.appending(path: "\(number).jpg")
            group.addTask {
                await writeThumbnail(of: url, to: file, with: loader)
            }
        }
    }
    await loader.flush()
}

func writeThumbnail(of url: URL, to file: URL, with loader: ImageLoader) async {
    var request = ImageRequest(url: url)
    request.targetSize = PixelSize(width: 256, height: 256)
    request.contentMode = .crop
    request.allowsUpscaling = true
    request.frames = .first
    let encoder = JPEGEncoder(quality: 80)
    do {
        let image = try await loader.encoded(for: request, as: encoder)
        try image.data.write(to: file)
    } catch {
        print("\(url): \(error)")
    }
}
// endregion

// region: cookbook-avatar
func avatar(
    at url: URL, side: Int, with loader: ImageLoader
) async throws(ImageLoaderError) -> DecodedImage {
    var request = ImageRequest(url: url)
    request.targetSize = PixelSize(width: side, height: side)  // in pixels
    request.contentMode = .crop
    request.processors = [.roundedCorners(radius: .fraction(0.2))]
    return try await loader.image(for: request)
}
// endregion

// region: cookbook-feed
@MainActor final class FeedPrefetcher {
    private let prefetcher: ImagePrefetcher
    private let requests: [ImageRequest]

    /// - Parameter requests: The requests that the cells load, in order.
    init(_ requests: [ImageRequest], loader: ImageLoader) {
        prefetcher = ImagePrefetcher(loader)
        self.requests = requests
    }

    /// Call this when the visible cells have begun to load their images.
    func didScroll(to visible: Range<Int>) {
        let below = requests[visible.upperBound...].prefix(12)
        let above = requests[..<visible.lowerBound].suffix(4)
        let list = Array(below) + Array(above.reversed())
        prefetcher.update(to: list)
    }
}
// endregion

// region: cookbook-progress
@MainActor func load(
    _ url: URL, with loader: ImageLoader, showProgress: (Double) -> Void
) async throws(ImageLoaderError) -> DecodedImage {
    let task = loader.imageTask(for: url)
    for await event in task.events {
        if case .progress(let received, let expected?) = event {
            showProgress(Double(received) / Double(max(expected, 1)))
        }
    }
    return try await task.image
}
// endregion

// region: cookbook-token
func makeLoader(
    user: String, token: @escaping @Sendable () async throws -> String
) -> ImageLoader {
    var configuration = ImageLoader.Configuration()
    let prepare = RequestPreparation(id: "user \(user)") { request in
        guard request.url.host() == "images.example.org" else { return }
        request.headers["Authorization"] = "Bearer " + (try await token())
    }
    configuration.download.prepare = prepare
    return ImageLoader(configuration)
}
// endregion

// region: cookbook-signed
func makeLoaderOfSignedURLs() -> ImageLoader {
    var configuration = ImageLoader.Configuration()
    // The query items that select the image. All others are ignored.
    let selecting: Set = ["width", "version"]
    configuration.download.cacheKeys = .keepingQueryItems(selecting)
    return ImageLoader(configuration)
}
// endregion

// region: cookbook-offline
/// Returns nil if the image isn't in the caches and there is no network.
func image(
    at url: URL, isOffline: Bool, with loader: ImageLoader
) async throws(ImageLoaderError) -> DecodedImage? {
    var request = ImageRequest(url: url)
    if isOffline { request.readPolicy = .cachedOnly }
    do throws(ImageLoaderError) {
        return try await loader.image(for: request)
    } catch {
        if error == .notCached { return nil }
        throw error
    }
}
// endregion

// region: cookbook-tags
func image(
    at url: URL, ofUser user: String, with loader: ImageLoader
) async throws(ImageLoaderError) -> DecodedImage {
    var request = ImageRequest(url: url)
    request.tags = ["user \(user)"]
    return try await loader.image(for: request)
}

func removeImages(
    ofUser user: String, from loader: ImageLoader
) async throws(ImageLoaderError) {
    try await loader.remove(.tag("user \(user)"))
}
// endregion

#if os(Linux) && WebP
// region: cookbook-webp
func saveAsWebP(
    _ url: URL, to file: URL, with loader: ImageLoader
) async throws {
    let encoder = WebPEncoder(.lossy(quality: 80))
    let request = ImageRequest(url: url)
    let image = try await loader.encoded(for: request, as: encoder)
    try image.data.write(to: file, options: .atomic)
}
// endregion
#endif

// region: cookbook-first-frame
func stillImage(
    at url: URL, with loader: ImageLoader
) async throws(ImageLoaderError) -> DecodedImage {
    var request = ImageRequest(url: url)
    request.frames = .first
    return try await loader.image(for: request)
}
// endregion

// region: cookbook-server
struct Reply: Sendable {
    var status: Int
    var headers: HTTPHeaders = [:]
    var body = Data()
}

/// - Parameters:
///   - accept: The field `Accept` of the client's request.
///   - tag: The field `If-None-Match` of the client's request.
///   - loader: `ImageLoader(.server)`, one for the whole service.
func thumbnail(
    of url: URL, accept: String, tag: String?, with loader: ImageLoader
) async -> Reply {
    var request = ImageRequest(url: url)
    request.targetSize = .width(400)
    let encoder = AutomaticEncoder(accept: accept)
    var reply: Reply
    do throws(ImageLoaderError) {
        let image = try await loader.encoded(
            for: request, as: encoder, ifNoneMatch: tag)
        switch image {
        case .modified(let file):
            reply = Reply(status: 200, headers: file.headers, body: file.data)
        case .notModified(let head):
            reply = Reply(status: 304, headers: head.headers)
        }
        reply.headers["Vary"] = "Accept"
    } catch {
        reply = Reply(status: error.serviceStatus)
        reply.body = Data(error.serviceText.utf8)
    }
    return reply
}
// endregion

// region: cookbook-made
func chart(
    _ name: String, with loader: ImageLoader,
    draw: @escaping @Sendable () async throws -> DecodedImage
) async throws(ImageLoaderError) -> DecodedImage {
    let request = ImageRequest(image: draw, id: "chart \(name)")
    return try await loader.image(for: request)
}
// endregion

/// The listing about performance.
func printTimes(of loader: ImageLoader) async {
    // region: performance-metrics
    let metrics = await loader.metrics
    let (downloads, decoding) = (metrics.downloads, metrics.decoding)
    let (hits, misses) = (metrics.memory.hits, metrics.memory.misses)
    print("in memory: \(hits) of \(hits + misses)")
    print("waited for a slot:", downloads.slotWaits.mean ?? .zero)
    print("transferred:", downloads.transfers.mean ?? .zero)
    print("waited to decode:", decoding.waits.mean ?? .zero)
    print("decoded:", decoding.decodes.mean ?? .zero)
    print("processed:", decoding.processes.mean ?? .zero)
    // endregion
}
