import Alcedo

/// The listings of the article on previews.
enum Previews {
    @MainActor
    static func show(
        _ request: ImageRequest, with loader: ImageLoader, draw: @MainActor (Bitmap) -> Void
    ) async throws {
        // region: previews
        let task = loader.imageTask(for: request)
        for await preview in task.previews {
            draw(preview.bitmap)
        }
        draw(try await task.image.bitmap)
        // endregion
    }

    static func settings() -> ImageLoader.Configuration {
        // region: preview-settings
        var configuration = ImageLoader.Configuration()
        configuration.previews.interval = .milliseconds(500)
        configuration.previews.maximumTimeShare = 0.1  // of the time that the download takes
        configuration.previews.minimumBytes = 100_000  // bytes
        // endregion
        return configuration
    }
}
