extension BitmapBuilder {
    /// Multiplies straight colours by their alpha, to the nearest value.
    mutating func premultiply() {
        withBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                for pixel in stride(from: 0, to: bytes.count, by: 4) {
                    let alpha = UInt16(bytes[pixel + 3])
                    bytes[pixel] = UInt8(truncatingIfNeeded: (UInt16(bytes[pixel]) * alpha + 127) / 255)
                    bytes[pixel + 1] = UInt8(truncatingIfNeeded: (UInt16(bytes[pixel + 1]) * alpha + 127) / 255)
                    bytes[pixel + 2] = UInt8(truncatingIfNeeded: (UInt16(bytes[pixel + 2]) * alpha + 127) / 255)
                }
            }
        }
    }
}
