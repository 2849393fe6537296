import Alcedo
import Foundation

/// The ThumbHashes of images that were shown: blurred versions of some 25 bytes, which are shown when an image comes
/// back into sight and is no longer in memory.
@MainActor final class PictureHashes {
    private var hashes: [Int: Data] = [:]

    subscript(index: Int) -> Data? { hashes[index] }

    func add(_ image: DecodedImage, at index: Int) {
        guard hashes[index] == nil else { return }
        do throws(ImageLoaderError) {
            hashes[index] = try image.thumbHash()
        } catch {
            // There isn't enough memory to scale the image, so the placeholder will be a color.
            hashes[index] = nil
        }
    }
}
