import Alcedo
import Foundation

/// The ThumbHashes of pictures that were shown: blurred versions of some 25 bytes, shown when the pictures come into
/// sight again and are no longer in memory.
@MainActor final class PictureHashes {
    private var hashes: [Int: Data] = [:]

    subscript(index: Int) -> Data? { hashes[index] }

    func add(_ image: DecodedImage, at index: Int) {
        guard hashes[index] == nil else { return }
        do throws(ImageLoaderError) {
            hashes[index] = try image.thumbHash()
        } catch {
            // There is no memory to scale the picture; the placeholder is a colour then.
            hashes[index] = nil
        }
    }
}
