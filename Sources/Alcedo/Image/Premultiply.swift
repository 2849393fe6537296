extension BitmapBuilder {
    /// Multiplies straight colours by their alpha, rounding to nearest.
    mutating func premultiply() {
        withBytes { bytes in
            bytes.withUnsafeMutableBytes { $0.premultiply() }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Multiplies the straight colours of four-byte pixels by their alpha, rounding to nearest.
    ///
    /// Most pixels of most pictures are opaque: vector instructions find runs of opaque pixels, which are skipped.
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
                pixels[index] = UInt32(littleEndian: Self.premultiplied(UInt32(littleEndian: pixels[index])))
            }
        }
    }

    /// Computes two colours at a time, in 16 bits each. There, (c × a + 127) / 255 is exactly (t + 1 + t / 256) / 256
    /// with t = c × a + 127.
    private static func premultiplied(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        let low: UInt32 = 0x00FF_00FF
        let redAndBlue = (pixel & low) &* alpha &+ 0x007F_007F
        let green = (pixel >> 8 & 0xFF) &* alpha &+ 0x7F
        let (one, pair): (UInt32, UInt32) = (1, 0x0001_0001)
        let newRedAndBlue = (redAndBlue &+ pair &+ (redAndBlue >> 8 & low)) >> 8 & low
        let newGreen = (green &+ one &+ green >> 8) & 0xFF00
        return alpha << 24 | newRedAndBlue | newGreen
    }
}
