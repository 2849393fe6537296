extension Bitmap {
    /// Returns the part of the image that `plan` shows. Allocates a bitmap of that size.
    func cropped(_ plan: DecodeTarget.Plan, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap {
        precondition(plan.x >= 0 && plan.x + plan.part.width <= size.width, "cut outside the image")
        precondition(plan.y >= 0 && plan.y + plan.part.height <= size.height, "cut outside the image")
        return try drawn(plan.part, limits) { source, target in
            let part = UnsafeRawBufferPointer(rebasing: source[(plan.y * bytesPerRow + plan.x * 4)...])
            target.copyRows(plan.part.height, of: plan.part.width * 4, from: part, bytesPerRow: bytesPerRow)
        }
    }

    /// Returns the image scaled to exactly `size`, ignoring its aspect ratio, with Catmull-Rom resampling.
    ///
    /// Returns `self` when it already has that size.
    ///
    /// Colors are averaged as stored: premultiplied, so that invisible colors don't bleed, and, as is usual, not in
    /// linear light. Overshoot of the kernel is clamped.
    ///
    /// Takes the memory of the second bitmap and of two rows of the source's width, and the time of about 4 passes over
    /// the larger of the two bitmaps.
    ///
    /// - Parameters:
    ///   - whole: the size of the image that was reduced to this bitmap by `denominator`, with sides rounded up. The
    ///     last pixels of the bitmap's rows and columns may cover less than the others.
    ///   - offset: how much of the first column and row doesn't belong to the image, in pixels of `whole`.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when `size` exceeds one of `limits`.
    func scaled(
        to size: PixelSize, from whole: PixelSize? = nil, dividedBy denominator: Int = 1,
        at offset: (x: Int, y: Int) = (0, 0), limits: DecodeLimits
    ) throws(ImageLoaderError) -> Bitmap {
        guard size != self.size || offset != (0, 0) else { return self }
        return try drawn(size, limits) { source, target in
            let across = ResamplingWeights(
                from: self.size.width, to: size.width, of: whole?.width, dividedBy: denominator, at: offset.x)
            let down = ResamplingWeights(
                from: self.size.height, to: size.height, of: whole?.height, dividedBy: denominator, at: offset.y)
            var row = ResamplingRow(width: self.size.width)
            for y in 0..<size.height {
                row.gather(y, of: source, down)
                row.write(to: target, at: y * size.width * 4, across)
            }
        }
    }

    /// Returns the image turned upright, given the `orientation` of its rows and columns.
    ///
    /// Returns `self` when it is already upright.
    ///
    /// Otherwise, allocates a second bitmap of the same byte count.
    ///
    /// - Parameter cancellation: Checked between rows.
    package func upright(
        from orientation: Orientation, limits: DecodeLimits, _ cancellation: DecodeCancellation = DecodeCancellation()
    ) throws(ImageLoaderError) -> Bitmap {
        guard orientation != .up else { return self }
        let turned = orientation.swapsSides ? size.turned : size
        let walk = orientation.walk(over: size)
        // For 90 degree turns, source rows become target columns: working in bands of rows keeps both sides in the
        // cache.
        let band = orientation.swapsSides ? 16 : 1
        return try drawn(turned, limits) { (source, target) throws(ImageLoaderError) in
            let (source, target) = (source.bindMemory(to: UInt32.self), target.bindMemory(to: UInt32.self))
            for top in stride(from: 0, to: turned.height, by: band) {
                try cancellation.check()
                for x in 0..<turned.width {
                    for y in top..<min(top + band, turned.height) {
                        target[y * turned.width + x] = source[walk.start + x * walk.right + y * walk.down]
                    }
                }
            }
        }
    }

    /// Returns a new bitmap that `draw` fills from this one's bytes.
    private func drawn(
        _ size: PixelSize, _ limits: DecodeLimits,
        _ draw: (
            _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer
        ) throws(ImageLoaderError) -> Void
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: size, limits: limits)
        try withUnsafeBytes { (source) throws(ImageLoaderError) in
            try builder.withUnsafeMutableBytes { (target) throws(ImageLoaderError) in try draw(source, target) }
        }
        return builder.freeze()
    }
}

extension Orientation {
    /// The index of the stored pixel that becomes the upright image's top left one, and the index distances of one step
    /// right and one step down in the upright image.
    fileprivate func walk(over stored: PixelSize) -> (start: Int, right: Int, down: Int) {
        let width = stored.width
        let last = width * stored.height - 1
        return switch self {
        case .up: (0, 1, width)
        case .upMirrored: (width - 1, -1, width)
        case .down: (last, -1, -width)
        case .downMirrored: (last - width + 1, 1, -width)
        case .leftMirrored: (0, width, 1)
        case .right: (last - width + 1, -width, 1)
        case .rightMirrored: (last, -width, -1)
        case .left: (width - 1, width, -1)
        }
    }
}

extension BitmapBuilder {
    /// Returns a copy of the first rows; the others are transparent.
    mutating func copy(rows: Int, limits: DecodeLimits) throws(ImageLoaderError) -> BitmapBuilder {
        var copy = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = bytesPerRow
        withUnsafeMutableBytes { copy.copy(rows: rows, of: UnsafeRawBufferPointer($0), bytesPerRow: bytesPerRow) }
        return copy
    }

    /// Replaces the first rows with those of `source`, which must be at least as long.
    mutating func copy(rows: Int, of source: UnsafeRawBufferPointer, bytesPerRow: Int) {
        let length = self.bytesPerRow
        precondition((0...size.height).contains(rows) && bytesPerRow >= length, "rows of another image")
        precondition(rows == 0 || source.count >= (rows - 1) * bytesPerRow + length, "more rows than there are")
        withUnsafeMutableBytes { $0.copyRows(rows, of: length, from: source, bytesPerRow: bytesPerRow) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies rows of `length` bytes, which begin `bytesPerRow` apart in `source`, to the beginning, without gaps.
    fileprivate func copyRows(_ count: Int, of length: Int, from source: UnsafeRawBufferPointer, bytesPerRow: Int) {
        for row in 0..<count {
            let start = row * bytesPerRow
            UnsafeMutableRawBufferPointer(rebasing: self[row * length..<(row + 1) * length])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + length]))
        }
    }
}
