extension Bitmap {
    /// A picture of the same size, each pixel of which is made of the one at its place here.
    ///
    /// For processors of one's own; see ``ImageProcessing``. Costs a second bitmap.
    ///
    /// - Parameter transform: Receives and returns red, green, blue and alpha, premultiplied: no colour may be greater
    ///   than alpha.
    /// - Throws: ``ImageLoaderError/cancelled``, once nobody waits for the result any more.
    public func mapPixels(
        _ context: ProcessingContext, _ transform: (SIMD4<UInt8>) -> SIMD4<UInt8>
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(unwritten: size, limits: context.limits)
        for y in 0..<size.height {
            if y & 63 == 0 { try context.checkCancellation() }
            withUnsafeBytes { source in
                builder.withUnsafeMutableBytes { target in
                    for offset in stride(from: y * bytesPerRow, to: (y + 1) * bytesPerRow, by: 4) {
                        let pixel = source.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                        target.storeBytes(of: transform(pixel), toByteOffset: offset, as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
        builder.wrote(rows: size.height)
        return builder.freeze()
    }
}
