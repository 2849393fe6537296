extension Bitmap {
    /// The picture in `size`, whatever its shape, by Catmull-Rom resampling; itself when that is its size.
    ///
    /// Colours are averaged as they are stored: premultiplied, so that what can't be seen does not bleed, and not in
    /// linear light, as is usual. What the kernel overshoots is cut off.
    ///
    /// Costs the second bitmap and two rows of the source's width while it runs, and about 4 passes over the larger of
    /// both pictures.
    ///
    /// - Parameters:
    ///   - whole: the size of the picture of which this one is a reduction by `denominator`, with its sides rounded up:
    ///     the last pixels of its rows and columns may stand for less than the others.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when `size` breaks one of `limits`.
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
