#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
package import Foundation

extension Pictures {
    /// The gradient in that size as a PNG file.
    package static func png(_ width: Int = 8, _ height: Int = 6) throws -> Data {
        try PNGEncoder().encode(gradient(width, height))
    }

    /// The gradient in that size as a JPEG file.
    package static func jpeg(_ width: Int = 64, _ height: Int = 48) throws -> Data {
        try JPEGEncoder().encode(gradient(width, height))
    }
}
#endif
