extension BitmapBuilder {
    /// Multiplies straight colours by their alpha, to the nearest value.
    mutating func premultiply() {
        withBytes { bytes in
            bytes.withUnsafeMutableBytes { $0.premultiply() }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Multiplies straight colours of pixels of four bytes by their alpha, to the nearest value.
    func premultiply() {
        for pixel in stride(from: 0, to: count, by: 4) {
            let alpha = UInt16(self[pixel + 3])
            self[pixel] = UInt8(truncatingIfNeeded: (UInt16(self[pixel]) * alpha + 127) / 255)
            self[pixel + 1] = UInt8(truncatingIfNeeded: (UInt16(self[pixel + 1]) * alpha + 127) / 255)
            self[pixel + 2] = UInt8(truncatingIfNeeded: (UInt16(self[pixel + 2]) * alpha + 127) / 255)
        }
    }
}
