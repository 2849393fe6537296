public import Alcedo
public import Foundation

/// The images of an app that used Nuke's `ImagePipeline`. Comments name the calls of Nuke that are replaced.
public struct Photos: Sendable {
    /// The loader of all images in the app.
    public let loader: ImageLoader
    private let prefetcher: ImagePrefetcher

    /// Creates the loader and the prefetcher of the app.
    public init(_ configuration: ImageLoader.Configuration) {
        // ImagePipeline(configuration:delegate:), ImagePrefetcher(pipeline:destination:maxConcurrentRequestCount:)
        loader = ImageLoader(configuration)
        prefetcher = ImagePrefetcher(loader, window: 4)
    }

    /// An avatar from memory, for views that draw immediately.
    public func cachedAvatar(_ url: URL, pixels: Int) -> DecodedImage? {
        // ImagePipeline.cache[request]
        loader.cachedImage(for: .avatar(url, pixels: pixels))
    }

    /// An avatar from memory, disk or the network; the response names the source.
    public func avatar(_ url: URL, pixels: Int) async throws(ImageLoaderError) -> ImageResponse {
        // ImagePipeline.imageTask(with:).response; isTaskCoalescingEnabled is always on
        try await loader.response(for: .avatar(url, pixels: pixels))
    }

    /// Draws a photo as it arrives. Cancelling the calling Task cancels the load.
    @MainActor public func show(_ url: URL, draw: (Bitmap) -> Void) async throws(ImageLoaderError) {
        // ImagePipeline.imageTask(with:), ImageTask.previews, isProgressiveDecodingEnabled
        let task = loader.imageTask(for: ImageRequest(url: url))
        for await preview in task.previews { draw(preview.bitmap) }
        draw(try await task.image.bitmap)
    }

    /// Loads the avatars that come next.
    public func startPrefetching(_ avatars: [URL], pixels: Int) {
        // ImagePrefetcher.startPrefetching(with:)
        prefetcher.start(avatars.map { .avatar($0, pixels: pixels) })
    }

    /// Ends the loads of avatars that are no longer needed.
    public func stopPrefetching(_ avatars: [URL], pixels: Int) {
        // ImagePrefetcher.stopPrefetching(with:)
        prefetcher.stop(avatars.map { .avatar($0, pixels: pixels) })
    }

    /// Removes all images, from memory and disk.
    public func logOut() async {
        // ImagePipeline.cache.removeAll()
        await loader.removeAll()
    }
}
