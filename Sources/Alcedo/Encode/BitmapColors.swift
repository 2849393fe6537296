/// Properties shared by all pixels of a bitmap that let encoders write smaller files.
struct BitmapColors {
    let isOpaque: Bool
    /// Whether red, green and blue of each pixel are equal.
    let isGray: Bool
    /// The distinct pixels in memory order, ascending as numbers: by alpha, then blue, green and red. Nil if there are
    /// more than 256.
    let all: [UInt32]?

    /// Visits all pixels of an image with few colors, which takes about 2 ms per megapixel. Other images are several
    /// times as fast, because each check stops at the first pixels that fail it.
    init(of bitmap: Bitmap) {
        isOpaque = bitmap.isOpaque
        isGray = bitmap.isGray
        all = bitmap.withUnsafeBytes { bytes -> [UInt32]? in
            var table = ColorTable()
            var last: UInt32?
            var hasClear = false
            for pixel in bytes.bindMemory(to: UInt32.self) {
                let pixel = UInt32(littleEndian: pixel)
                if pixel == last { continue }
                last = pixel
                if pixel == 0 {
                    hasClear = true
                } else if !table.add(pixel) {
                    return nil
                }
            }
            let colors = (hasClear ? [0] : []) + table.all.sorted()
            return colors.count > 256 ? nil : colors
        }
    }
}

extension Bitmap {
    /// Whether the image looks drawn, so that a lossless file may be smaller than a lossy one: it has at most 256
    /// colors, or at least half of its pixels equal their left neighbors. Takes at most 3 ms per megapixel.
    var isDrawn: Bool {
        let equal = withUnsafeBytes { bytes in
            let pixels = bytes.bindMemory(to: UInt32.self)
            var count = 0
            for row in stride(from: 0, to: pixels.count, by: size.width) {
                var equal: UInt32 = 0
                for index in row + 1..<row + size.width { equal &+= pixels[index] == pixels[index - 1] ? 1 : 0 }
                count += Int(equal)
            }
            return count
        }
        return equal * 2 >= (size.width - 1) * size.height && size.width > 1 || BitmapColors(of: self).all != nil
    }

    /// Whether red, green and blue of each pixel are equal. Checks row by row, in a loop that the compiler vectorizes,
    /// and stops at the first row with a color.
    var isGray: Bool {
        withUnsafeBytes { bytes in
            let pixels = bytes.bindMemory(to: UInt32.self)
            for row in stride(from: 0, to: pixels.count, by: size.width) {
                var difference: UInt32 = 0
                for index in row..<row + size.width {
                    let pixel = UInt32(littleEndian: pixels[index])
                    difference |= (pixel ^ pixel >> 8) & 0xFFFF
                }
                if difference != 0 { return false }
            }
            return true
        }
    }
}
