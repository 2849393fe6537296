extension Bitmap {
    /// Returns a part of the image as a rectangle with rounded corners and a border inside its edge.
    ///
    /// - Parameters:
    ///   - part: Must lie within the image.
    ///   - radii: As in ``RoundedRectangle``.
    func shaped(
        _ part: PixelRectangle, radii: SIMD4<Double>, _ border: PixelBorder?, _ context: ProcessingContext
    ) throws(ImageLoaderError) -> Bitmap {
        let outer = RoundedRectangle(part.size, radii: radii)
        let width = part.size.width
        if let border, border.width > 0, border.color.alpha > 0 {
            let inner = RoundedRectangle(part.size, radii: radii, inset: border.width)
            let color = context.converted(border.color).pixel
            return try painted(part.size, context) { rows, memory in
                BorderRows(outer: outer, inner: inner, color: color, width: width).draw(rows) { row in
                    (memory.source(part.y + row) + part.x, memory.target(row))
                }
            }
        }
        return try painted(part.size, context) { rows, memory in
            Self.withScratch(width) { mask, numbers in
                for row in rows {
                    let (source, target) = (memory.source(part.y + row) + part.x, memory.target(row))
                    guard !outer.isPlain(row) else {
                        target.update(from: source, count: width)
                        continue
                    }
                    outer.cover(row, width, numbers, to: mask)
                    BlendRow(source: mask, destination: source, target: target, count: width).write(.destinationIn)
                }
            }
        }
    }

    /// Calls `body` with memory for a row of pixels and a row of numbers.
    fileprivate static func withScratch(
        _ width: Int, _ body: (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<Float>) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { pixels in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { numbers in
                guard let pixels = pixels.baseAddress, let numbers = numbers.baseAddress else { return }
                body(pixels, numbers)
            }
        }
    }
}

/// Draws rows of an image with a border.
private struct BorderRows {
    let outer: RoundedRectangle
    let inner: RoundedRectangle
    let color: UInt32
    let width: Int

    /// - Parameter place: Returns the places from which a row is read and to which it is written.
    func draw(_ rows: Range<Int>, _ place: (Int) -> (UnsafePointer<UInt32>, UnsafeMutablePointer<UInt32>)) {
        Bitmap.withScratch(width) { mask, numbers in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * width) { scratch in
                guard let one = scratch.baseAddress else { return }
                for row in rows {
                    let (source, target) = place(row)
                    draw(row, source, target, mask, numbers, (one, one + width, one + 2 * width))
                }
            }
        }
    }

    /// Draws the image where the inner shape covers it, and the image beneath the border in the rest of the outer
    /// shape. The two are added rather than drawn over each other, so that nothing shines through where both cover a
    /// part of a pixel.
    private func draw(
        _ row: Int, _ source: UnsafePointer<UInt32>, _ target: UnsafeMutablePointer<UInt32>,
        _ mask: UnsafeMutablePointer<UInt32>, _ numbers: UnsafeMutablePointer<Float>,
        _ rows: (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>)
    ) {
        let (image, border, ring) = rows
        inner.cover(row, width, numbers, to: mask)
        BlendRow(source: mask, destination: source, target: image, count: width).write(.destinationIn)
        outer.cover(row, width, numbers, to: ring)
        for index in 0..<width { ring[index] &-= mask[index] }
        mask.update(repeating: color, count: width)
        BlendRow(source: mask, destination: source, target: border, count: width).write(.normal)
        BlendRow(source: ring, destination: border, target: target, count: width).write(.destinationIn)
        // No byte overflows: the shares of a pixel add up to no more than the whole.
        for index in 0..<width { target[index] &+= image[index] }
    }
}
