extension Bitmap {
    /// Returns an image of the same size, in which each pixel is the result of `transform` for the original pixel.
    ///
    /// For processors outside Alcedo. Several threads may work on rows at a time.
    ///
    /// - Parameters:
    ///   - context: The context that the processor received.
    ///   - transform: Receives and returns red, green, blue and alpha, premultiplied: no color may be greater than its
    ///     alpha.
    /// - Throws: ``ImageLoaderError/cancelled``, or ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    public func mapPixels(
        _ context: ProcessingContext, _ transform: @escaping @Sendable (SIMD4<UInt8>) -> SIMD4<UInt8>
    ) throws(ImageLoaderError) -> Bitmap {
        let width = size.width
        return try painted(size, context) { rows, memory in
            let source = UnsafeRawPointer(memory.source(rows.lowerBound))
            let target = UnsafeMutableRawPointer(memory.target(rows.lowerBound))
            for offset in stride(from: 0, to: rows.count * width * 4, by: 4) {
                let pixel = transform(source.load(fromByteOffset: offset, as: SIMD4<UInt8>.self))
                target.storeBytes(of: pixel, toByteOffset: offset, as: SIMD4<UInt8>.self)
            }
        }
    }
}
