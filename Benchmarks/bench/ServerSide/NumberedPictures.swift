import Alcedo
import AlcedoTestSupport
import Foundation

/// The images of the experiment, each identified by its pixels.
enum NumberedPictures {
    private static let size = PixelSize(width: 64, height: 48)

    static func path(of number: Int) -> String { "/pictures/\(number).png" }

    /// The number of an image; nil if `path` isn't the path of an image.
    static func number(at path: String) -> Int? {
        guard path.hasPrefix("/pictures/"), path.hasSuffix(".png"), let number = Int(path.dropFirst(10).dropLast(4)),
            (0..<ServerSideSetting.pictures).contains(number)
        else { return nil }
        return number
    }

    /// A bitmap of opaque noise, so that any mixture of two images differs from both.
    static func bitmap(_ number: Int) throws -> Bitmap {
        var random = SeededRandom(seed: UInt64(number))
        return try Pictures.make(size.width, size.height) { _, _ in
            let bits = random.next()
            return [
                UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
                UInt8(truncatingIfNeeded: bits >> 16), 255,
            ]
        }
    }

    /// The image as a PNG file.
    static func file(_ number: Int) throws -> Data { try PNGEncoder().encode(bitmap(number)) }

    /// The image numbers of pages, drawn from a Zipf distribution.
    static func pages(_ count: Int, seed: UInt64) -> [[Int]] {
        // The popular images are the same for every seed.
        var order = SeededRandom(seed: 0)
        let numbers = Array(0..<ServerSideSetting.pictures).shuffled(using: &order)
        let ranks = ZipfRanks(count: numbers.count, exponent: ServerSideSetting.exponent)
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in
            (0..<ServerSideSetting.picturesPerPage).map { _ in
                numbers[ranks.rank(at: Double.random(in: 0..<1, using: &random))]
            }
        }
    }
}
