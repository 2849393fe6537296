import Alcedo
import Foundation

/// A decoded image as an object, which `NSCache` requires.
final class ClassicImage: NSObject, Sendable {
    let image: DecodedImage

    init(_ image: DecodedImage) { self.image = image }
}
