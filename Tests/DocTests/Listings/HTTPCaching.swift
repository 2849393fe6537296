import Alcedo
import Foundation

/// The listings about HTTP caching, one function for each.
enum HTTPCaching {
    static func policies(_ url: URL) -> (ImageLoader.Configuration, ImageRequest) {
        // region: cache-policies
        var configuration = ImageLoader.Configuration()
        configuration.readPolicy = .immutable  // what a URL names never changes
        configuration.memory.reuseWindow = .seconds(60)
        configuration.download.caching.defaultLifetime = .seconds(86_400)
        var request = ImageRequest(url: url)
        request.readPolicy = .revalidate  // ask, and load only what has changed
        request.writePolicy = .memoryOnly
        // endregion
        return (configuration, request)
    }

    static func responses(
        _ request: ImageRequest, with loader: ImageLoader, display: (DecodedImage, Bool) -> Void
    ) async throws(ImageLoaderError) {
        func show(_ image: DecodedImage, isOutdated: Bool) { display(image, isOutdated) }
        // region: responses
        for try await response in loader.responses(for: request) {
            show(response.image, isOutdated: response.isStale)
        }
        // endregion
    }

    static func lowResolution(of url: URL) -> ImageRequest {
        // region: low-resolution
        var request = ImageRequest(url: url)
        request.lowResolution = url.appending(queryItems: [
            URLQueryItem(name: "width", value: "64")
        ])
        // endregion
        return request
    }

    static func signedURLs() -> ImageLoader {
        // region: cache-keys
        var configuration = ImageLoader.Configuration()
        configuration.download.cacheKeys = .droppingQueryItems([
            "X-Amz-Signature", "X-Amz-Date", "Expires",
        ])
        // endregion
        return ImageLoader(configuration)
    }
}
