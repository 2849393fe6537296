/// What all pixels of a bitmap have in common, as encoders use it to write less.
struct BitmapColours {
    let isOpaque: Bool
    /// Whether red, green and blue of each pixel are equal.
    let isGrey: Bool
    /// The different pixels in memory order, ascending as numbers: by alpha, then blue, green and red. Nil if there are
    /// more than 256.
    let all: [UInt32]?

    /// Visits all pixels of a picture of few colours, which takes about 2 ms per megapixel, and is several times as
    /// fast for others. Each property is settled by the first pixels that say no.
    init(of bitmap: Bitmap) {
        isOpaque = bitmap.isOpaque
        isGrey = bitmap.isGrey
        all = bitmap.withUnsafeBytes { bytes -> [UInt32]? in
            var table = ColourTable()
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
            let colours = (hasClear ? [0] : []) + table.all.sorted()
            return colours.count > 256 ? nil : colours
        }
    }
}

extension Bitmap {
    /// Whether the picture looks drawn, so that it may be smaller without loss than with it: it has at most 256
    /// colours, or at least half of its pixels equal their left neighbours. Takes at most 3 ms per megapixel.
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
        return equal * 2 >= (size.width - 1) * size.height && size.width > 1 || BitmapColours(of: self).all != nil
    }

    /// Whether red, green and blue of each pixel are equal. Checks row by row, in a loop that the compiler vectorises,
    /// and stops at the first row with a colour.
    var isGrey: Bool {
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
