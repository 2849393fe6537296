extension BitmapBuilder {
    /// Premultiplies straight colours if any pixel is transparent. Returns whether all pixels are opaque.
    mutating func premultiplyUnlessOpaque() -> Bool {
        let width = size.width
        let isOpaque = withBytes { bytes in
            bytes.withUnsafeMutableBytes { UnsafeRawBufferPointer($0).isOpaque(width: width) }
        }
        if !isOpaque { premultiply() }
        return isOpaque
    }

    /// Sets the alpha of all pixels to 255 without changing their colours.
    mutating func makeOpaque() {
        withBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
            }
        }
    }
}

extension Bitmap {
    /// Whether no pixel is transparent. Checks row by row and stops at the first row with a transparent pixel.
    var isOpaque: Bool {
        withBytes { bytes in bytes.withUnsafeBytes { $0.isOpaque(width: size.width) } }
    }
}

extension Bitmap {
    /// Whether no colour exceeds the alpha of its pixel, as in all bitmaps that decoders make. Checks all pixels.
    var isPremultiplied: Bool {
        withBytes { bytes in bytes.withUnsafeBytes { $0.isPremultiplied } }
    }
}

extension UnsafeRawBufferPointer {
    /// A loop that the compiler vectorises.
    fileprivate var isPremultiplied: Bool {
        let pixels = bindMemory(to: UInt32.self)
        var excess: UInt32 = 0
        for index in 0..<pixels.count {
            let pixel = UInt32(littleEndian: pixels[index])
            let alpha = pixel >> 24
            // The sign bit of each difference.
            excess |= (alpha &- (pixel & 0xFF)) | (alpha &- (pixel >> 8 & 0xFF)) | (alpha &- (pixel >> 16 & 0xFF))
        }
        return excess >> 31 == 0
    }

    /// Checks row by row, in a loop that the compiler vectorises, and stops at the first row that isn't opaque.
    fileprivate func isOpaque(width: Int) -> Bool {
        let pixels = bindMemory(to: UInt32.self)
        for row in stride(from: 0, to: pixels.count, by: width) {
            var all = UInt32.max
            for index in row..<row + width { all &= pixels[index] }
            // Alpha is the last byte in memory.
            if UInt32(littleEndian: all) >> 24 != 255 { return false }
        }
        return true
    }
}
