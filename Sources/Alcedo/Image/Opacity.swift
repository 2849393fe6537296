extension BitmapBuilder {
    /// Multiplies straight colours by their alpha where any pixel is transparent; tells whether none is.
    mutating func premultiplyUnlessOpaque() -> Bool {
        let width = size.width
        let isOpaque = withBytes { bytes in
            bytes.withUnsafeMutableBytes { Self.isOpaque(UnsafeRawBufferPointer($0), width: width) }
        }
        if !isOpaque { premultiply() }
        return isOpaque
    }

    /// Sets the alpha of all pixels to 255, and leaves their colours.
    mutating func makeOpaque() {
        withBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
            }
        }
    }

    /// Looks at row after row, in a loop that the compiler turns into vector instructions, up to one that is not opaque.
    private static func isOpaque(_ bytes: UnsafeRawBufferPointer, width: Int) -> Bool {
        let pixels = bytes.bindMemory(to: UInt32.self)
        for row in stride(from: 0, to: pixels.count, by: width) {
            var all = UInt32.max
            for index in row..<row + width { all &= pixels[index] }
            // Alpha is the last byte in memory.
            if UInt32(littleEndian: all) >> 24 != 255 { return false }
        }
        return true
    }
}
