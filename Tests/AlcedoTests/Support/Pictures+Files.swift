import Alcedo
import Foundation

extension Pictures {
    static func bitmap(_ width: Int = 8, _ height: Int = 6) throws -> Bitmap { try gradient(width, height) }

    static func png(_ width: Int = 8, _ height: Int = 6) throws -> Data {
        try PNGEncoder().encode(bitmap(width, height))
    }

    static func jpeg(_ width: Int = 64, _ height: Int = 48) throws -> Data {
        try JPEGEncoder().encode(bitmap(width, height))
    }
}
