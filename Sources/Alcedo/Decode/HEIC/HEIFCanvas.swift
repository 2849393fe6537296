#if os(Linux) && HEIC
import Foundation

/// The size of a picture that is put together from others, as a grid or as layers (ISO/IEC 23008-12, sections 6.6.2.2
/// and 6.6.2.3).
struct HEIFCanvas {
    /// 0 for layers.
    private(set) var rows = 0
    private(set) var columns = 0
    let size: PixelSize

    /// - Throws: if the item's content isn't whole.
    init(_ content: Data?, isGrid: Bool) throws(ImageLoaderError) {
        let bytes = (content ?? Data()).span
        // Before the size are a version, flags, and the number of rows and columns or the colour of the background.
        let start = isGrid ? 4 : 10
        let isLong = (bytes.byte(at: 1) ?? 0) & 1 != 0
        guard bytes.byte(at: 0) == 0, let width = isLong ? bytes.long(at: start) : bytes.word(at: start),
            let height = isLong ? bytes.long(at: start + 4) : bytes.word(at: start + 2)
        else { throw .corruptImage(.heic, reason: "a grid without a size, or it ends too early") }
        size = PixelSize(width: width, height: height)
        if isGrid { (rows, columns) = (Int(bytes[2]) + 1, Int(bytes[3]) + 1) }
    }

    /// Whether there are as many tiles as needed, and each has pixels that are seen.
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
