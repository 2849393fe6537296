import Alcedo
import Foundation

/// The listings about many images, one function for each.
enum Prefetching {
    static func scrolling(with loader: ImageLoader) -> (ImagePrefetcher, (Range<Int>, [URL]) -> Void) {
        // region: prefetch-scrolling
        let prefetcher = ImagePrefetcher(loader)
        var first = 0

        func didScroll(to visible: Range<Int>, of urls: [URL]) {
            let below = Array(urls[visible.upperBound...].prefix(12))
            let above = Array(urls[..<visible.lowerBound].suffix(12).reversed())
            let (ahead, behind) = visible.lowerBound < first ? (above, below) : (below, above)
            first = visible.lowerBound
            prefetcher.update(to: ahead + behind.prefix(4))
        }
        // endregion
        return (prefetcher, didScroll)
    }

    static func startingAndStopping(_ urls: [URL], _ others: [URL], with loader: ImageLoader) -> ImagePrefetcher {
        // region: prefetch
        let prefetcher = ImagePrefetcher(loader)
        prefetcher.start(urls)  // of cells that come near
        prefetcher.stop(others)  // of cells that went away
        // endregion
        return prefetcher
    }

    static func batch(
        _ requests: [ImageRequest], with loader: ImageLoader, display: @escaping (DecodedImage, Int) -> Void
    ) async {
        func show(_ image: DecodedImage, at index: Int) { display(image, index) }
        // region: image-batch
        for await element in loader.images(for: requests) {
            if case .success(let response) = element.result {
                show(response.image, at: element.index)
            }
        }
        // endregion
    }

    static func toDisk(_ urls: [URL], with loader: ImageLoader) async {
        // region: prefetch-to-disk
        let prefetcher = ImagePrefetcher(loader, destination: .disk)
        prefetcher.start(urls)
        for await progress in prefetcher.progressUpdates where progress.remaining == 0 {
            print(
                "\(progress.finished) loaded, \(progress.skipped) there already,",
                "\(progress.failed) failed")
            break
        }
        // endregion
    }
}
