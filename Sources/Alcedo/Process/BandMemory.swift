/// The pixels that bands of rows read and write, possibly on several threads at a time.
///
/// This is the only type in the folder that lets pixels pass between threads.
struct BandMemory: Sendable {
    // Invariant: the memory is read and written only within the call of `Bitmap.withBands` that made it. `BandWork.run`
    // returns when no thread is working on a band. A helper that comes later holds the pointers but doesn't use them,
    // because it finds all bands taken or the work cancelled. The source is never written. The ranges that
    // `forEachBand` passes to its body are disjoint, so no two threads write the same pixel of the target, and none
    // reads what another writes.
    /// The first pixel of the image that is read: red, green, blue, alpha in memory, rows without gaps.
    nonisolated(unsafe) let source: UnsafePointer<UInt32>
    /// The first pixel of the image that is written.
    nonisolated(unsafe) let target: UnsafeMutablePointer<UInt32>
    /// The size of the image that is read.
    let sourceSize: PixelSize
    /// The size of the image that is written.
    let size: PixelSize

    /// The first pixel of a row that is read.
    func source(_ row: Int) -> UnsafePointer<UInt32> { source + row * sourceSize.width }

    /// The first pixel of a row that is written.
    func target(_ row: Int) -> UnsafeMutablePointer<UInt32> { target + row * size.width }
}

extension Bitmap {
    /// Makes a bitmap of `size`. Each call of `paint` writes all pixels of the rows it receives.
    ///
    /// - Parameter least: The minimum number of rows that justifies another thread.
    /// - Throws: ``ImageLoaderError/cancelled``, or ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    func painted(
        _ size: PixelSize, _ context: ProcessingContext, least: Int = 64,
        _ paint: @escaping @Sendable (_ rows: Range<Int>, _ memory: BandMemory) -> Void
    ) throws(ImageLoaderError) -> Bitmap {
        try withBands(size, context) { (memory) throws(ImageLoaderError) in
            try context.forEachBand(of: size.height, least: least) { rows in paint(rows, memory) }
        }
    }

    /// Makes a bitmap of `size`. `body` writes all its pixels.
    func withBands(
        _ size: PixelSize, _ context: ProcessingContext, _ body: (BandMemory) throws(ImageLoaderError) -> Void
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(unwritten: size, limits: context.limits)
        try withUnsafeBytes { (source) throws(ImageLoaderError) in
            try builder.withUnsafeMutableBytes { (target) throws(ImageLoaderError) in
                guard let source = source.bindMemory(to: UInt32.self).baseAddress,
                    let target = target.bindMemory(to: UInt32.self).baseAddress
                else { return }
                try body(BandMemory(source: source, target: target, sourceSize: self.size, size: size))
            }
        }
        builder.wrote(rows: size.height)
        return builder.freeze()
    }
}
