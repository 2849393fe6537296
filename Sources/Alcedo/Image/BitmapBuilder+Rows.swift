extension BitmapBuilder {
    /// Copies the first rows of `source`, each at least as long as one of this, over those that are there.
    mutating func copy(rows: Int, of source: UnsafeRawBufferPointer, bytesPerRow: Int) {
        let length = self.bytesPerRow
        precondition((0...size.height).contains(rows) && bytesPerRow >= length, "rows of another picture")
        precondition(rows == 0 || source.count >= (rows - 1) * bytesPerRow + length, "more rows than there are")
        withBytes { target in
            target.withUnsafeMutableBytes { target in
                for row in 0..<rows {
                    let start = row * bytesPerRow
                    UnsafeMutableRawBufferPointer(rebasing: target[row * length..<(row + 1) * length])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + length]))
                }
            }
        }
    }

    /// A copy of the first rows; the others are transparent.
    mutating func copy(rows: Int, limits: DecodeLimits) throws(ImageLoaderError) -> BitmapBuilder {
        var copy = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = bytesPerRow
        withBytes { bytes in
            bytes.withUnsafeBytes { copy.copy(rows: rows, of: $0, bytesPerRow: bytesPerRow) }
        }
        return copy
    }
}
