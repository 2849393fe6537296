extension BitmapBuilder {
    /// Multiplies straight colors by their alpha, rounding to nearest.
    mutating func premultiply() { withUnsafeMutableBytes { $0.premultiply() } }

    /// Premultiplies straight colors if any pixel is transparent. Returns whether all pixels are opaque.
    mutating func premultiplyUnlessOpaque() -> Bool {
        let width = size.width
        let isOpaque = withUnsafeMutableBytes { UnsafeRawBufferPointer($0).isOpaque(width: width) }
        if !isOpaque { premultiply() }
        return isOpaque
    }

    /// Sets the alpha of the pixels in the first rows, by default in all, to 255 without changing their colors.
    mutating func makeOpaque(rows: Int? = nil) {
        let end = (rows ?? size.height) * bytesPerRow
        withUnsafeMutableBytes { bytes in
            for index in stride(from: 3, to: end, by: 4) { bytes[index] = 255 }
        }
    }
}

extension Bitmap {
    /// Whether no pixel is transparent. Checks row by row and stops at the first row with a transparent pixel.
    var isOpaque: Bool { withUnsafeBytes { $0.isOpaque(width: size.width) } }

    /// Whether no color exceeds the alpha of its pixel, as in all bitmaps that decoders make. Checks all pixels.
    var isPremultiplied: Bool { withUnsafeBytes { $0.isPremultiplied } }
}

extension UnsafeRawBufferPointer {
    /// A loop that the compiler vectorizes.
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

    /// Checks row by row, in a loop that the compiler vectorizes, and stops at the first row that isn't opaque.
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

extension UnsafeMutableRawBufferPointer {
    /// Multiplies the straight colors of four-byte pixels by their alpha, rounding to nearest.
    ///
    /// Most pixels of most images are opaque: vector instructions find runs of opaque pixels, which are skipped.
    func premultiply() {
        let pixels = bindMemory(to: UInt32.self)
        let run = 32
        for start in stride(from: 0, to: pixels.count, by: run) {
            let end = Swift.min(start + run, pixels.count)
            var all = UInt32.max
            for index in start..<end { all &= pixels[index] }
            // Alpha is the last byte in memory.
            guard UInt32(littleEndian: all) >> 24 != 255 else { continue }
            for index in start..<end {
                pixels[index] = UInt32(littleEndian: UInt32(littleEndian: pixels[index]).premultiplied)
            }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Limits the colors of four-byte pixels to their alpha, which premultiplied colors must not exceed.
    func limitColorsToAlpha() {
        let pixels = bindMemory(to: SIMD4<UInt8>.self)
        for index in pixels.indices {
            let pixel = pixels[index]
            pixels[index] = pointwiseMin(pixel, SIMD4(repeating: pixel.w))
        }
    }
}

/// A pixel as a number, in which alpha is the highest byte and red the lowest.
extension UInt32 {
    /// The pixel with straight colors multiplied by alpha.
    ///
    /// Computes two colors at a time, in 16 bits each. There, (c × a + 127) / 255 is exactly (t + 1 + t / 256) / 256
    /// with t = c × a + 127.
    fileprivate var premultiplied: UInt32 {
        let alpha = self >> 24
        let low: UInt32 = 0x00FF_00FF
        let redAndBlue = (self & low) &* alpha &+ 0x007F_007F
        let green = (self >> 8 & 0xFF) &* alpha &+ 0x7F
        let (one, pair): (UInt32, UInt32) = (1, 0x0001_0001)
        let newRedAndBlue = (redAndBlue &+ pair &+ (redAndBlue >> 8 & low)) >> 8 & low
        let newGreen = (green &+ one &+ green >> 8) & 0xFF00
        return alpha << 24 | newRedAndBlue | newGreen
    }

    /// The pixel with premultiplied colors divided by alpha, rounding to nearest: premultiplying them again restores
    /// the same values.
    var unpremultiplied: UInt32 {
        let alpha = self >> 24
        if alpha == 255 { return self }
        if alpha == 0 { return 0 }
        func straight(_ shift: UInt32) -> UInt32 {
            Swift.min(255, ((self >> shift & 255) * 255 + alpha / 2) / alpha) << shift
        }
        return alpha << 24 | straight(16) | straight(8) | straight(0)
    }
}
