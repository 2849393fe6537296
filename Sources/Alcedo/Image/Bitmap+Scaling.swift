extension Bitmap {
    /// The picture scaled to exactly `size`, ignoring its aspect ratio, with Catmull-Rom resampling.
    ///
    /// Returns `self` when it already has that size.
    ///
    /// Colours are averaged as stored: premultiplied, so that invisible colours don't bleed, and, as is usual, not in
    /// linear light. Overshoot of the kernel is clamped.
    ///
    /// While running, costs the second bitmap and two rows of the source's width, and about 4 passes over the larger of
    /// the two pictures.
    ///
    /// - Parameters:
    ///   - whole: the size of the picture of which this one is a reduction by `denominator`, with its sides rounded up.
    ///     The last pixels of its rows and columns may cover less than the others.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when `size` exceeds one of `limits`.
    func scaled(
        to size: PixelSize, from whole: PixelSize? = nil, dividedBy denominator: Int = 1, limits: DecodeLimits
    ) throws(ImageLoaderError) -> Bitmap {
        guard size != self.size else { return self }
        var builder = try BitmapBuilder(size: size, limits: limits)
        let across = ResamplingWeights(
            from: self.size.width, to: size.width, of: whole?.width, dividedBy: denominator)
        let down = ResamplingWeights(
            from: self.size.height, to: size.height, of: whole?.height, dividedBy: denominator)
        var row = ResamplingRow(width: self.size.width)
        withBytes { source in
            source.withUnsafeBytes { source in
                builder.withBytes { target in
                    target.withUnsafeMutableBytes { target in
                        for y in 0..<size.height {
                            row.gather(y, of: source, down)
                            row.write(to: target, at: y * size.width * 4, across)
                        }
                    }
                }
            }
        }
        return builder.freeze()
    }
}
