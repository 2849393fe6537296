#if os(Linux) && HEIC
import Foundation

/// The size of an image that is composed of others, as a grid or in layers (ISO/IEC 23008-12, sections 6.6.2.2 and
/// 6.6.2.3).
struct HEIFCanvas {
    /// The numbers of rows and columns; 0 for layers.
    private(set) var rows = 0
    private(set) var columns = 0
    let size: PixelSize

    /// - Throws: If the item's content is incomplete.
    init(_ content: Data?, isGrid: Bool) throws(ImageLoaderError) {
        let bytes = (content ?? Data()).span
        // Before the size are a version, flags, and the number of rows and columns or the color of the background.
        let start = isGrid ? 4 : 10
        let isLong = (bytes.byte(at: 1) ?? 0) & 1 != 0
        guard bytes.byte(at: 0) == 0, let width = isLong ? bytes.long(at: start) : bytes.word(at: start),
            let height = isLong ? bytes.long(at: start + 4) : bytes.word(at: start + 2)
        else { throw .corruptImage(.heic, reason: "a grid without a size, or it ends too early") }
        size = PixelSize(width: width, height: height)
        if isGrid { (rows, columns) = (Int(bytes[2]) + 1, Int(bytes[3]) + 1) }
    }

    /// Whether the number of tiles is right, all tiles have the same size, and each has visible pixels.
    func isFilled(by tiles: [PixelSize]) -> Bool {
        guard let first = tiles.first, tiles.count == rows * columns, tiles.allSatisfy({ $0 == first }) else {
            return false
        }
        func fits(_ count: Int, _ side: Int, _ whole: Int) -> Bool {
            side.multiplied(by: count) >= whole && side.multiplied(by: count - 1) < whole
        }
        return fits(columns, first.width, size.width) && fits(rows, first.height, size.height)
    }
}
#endif
