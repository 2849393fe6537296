#if os(Linux) && PNG
import CShims
import Foundation

/// A decode with libpng. Must not outlive its input.
struct PNGDecode: ~Copyable {
    private let handle: OpaquePointer?
    private let size: PixelSize
    private let head: alcedo_png_head
    private let toneMapping: ToneMapping?
    private let isCgBI: Bool

    /// Whether pixels may be transparent.
    var hasAlpha: Bool { head.has_alpha != 0 }
    /// The number of times that all rows are read.
    var passes: Int { Int(head.passes) }

    /// - Parameters:
    ///   - size: The size in the file's header.
    ///   - toneMapping: The mapping of HDR, whose samples keep all bits until then unless the file is interlaced.
    ///   - isCgBI: Whether the input is the result of `Data.withoutCgBI` for Apple's variant.
    init(
        _ input: UnsafeRawBufferPointer, _ size: PixelSize, _ toneMapping: ToneMapping?, isCgBI: Bool = false
    ) throws(ImageLoaderError) {
        var message = alcedo_message()
        var head = alcedo_png_head()
        var handle: OpaquePointer?
        let status = alcedo_png_begin(
            input.bindMemory(to: UInt8.self).baseAddress, input.count, UInt32(clamping: size.width),
            UInt32(clamping: size.height), toneMapping == nil ? 0 : 1, isCgBI ? 1 : 0, &handle, &head, &message)
        self.handle = handle
        self.toneMapping = toneMapping
        self.isCgBI = isCgBI
        self.size = size
        self.head = head
        guard status == alcedo_more else { throw status.error(.png, message) }
    }

    deinit { alcedo_png_end(handle) }

    /// Reads all rows into `pixels`, which has room for all of them.
    ///
    /// - Parameters:
    ///   - bytesPerRow: The number of bytes from one row to the next. Default: no gaps.
    ///   - premultiplies: False to leave the colors straight, as is required if there are gaps.
    func readAll(
        into pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int? = nil, premultiplies: Bool,
        _ cancellation: DecodeCancellation?
    ) throws(ImageLoaderError) {
        let (stride, band) = (bytesPerRow ?? size.width * 4, Self.bandRows(size))
        for pass in 0..<passes {
            for top in Swift.stride(from: 0, to: size.height, by: band) {
                try cancellation?.check()
                let end = min(top + band, size.height)
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: pixels[top * stride..<(end - 1) * stride + size.width * 4])
                try read(end - top, into: part, bytesPerRow: stride, isLast: pass + 1 == passes)
                // Premultiplies immediately, while the rows are in the processor's cache.
                if premultiplies, pass + 1 == passes { premultiply(part) }
            }
        }
        try finish()
    }

    /// Reads a part of the pixels, premultiplied and scaled down to `targetSize`, into `target`. Not for interlaced
    /// files.
    func read(
        _ part: PixelRectangle, scaledTo targetSize: PixelSize, into target: UnsafeMutableRawBufferPointer,
        _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        let (stride, band) = (size.width * 4, Self.bandRows(size))
        var scaler = RowScaler(from: part.size, to: targetSize)
        var buffer = [UInt8](repeating: 0, count: stride * min(band, size.height))
        for top in Swift.stride(from: 0, to: part.rows.upperBound, by: band) {
            try cancellation.check()
            let rows = min(band, part.rows.upperBound - top)
            var span = buffer.mutableSpan
            try span.withUnsafeMutableBytes { (buffer) throws(ImageLoaderError) in
                try read(rows, into: buffer, bytesPerRow: stride, isLast: true)
                premultiply(buffer)
                for row in max(0, part.y - top)..<max(rows, part.y - top) where row < rows {
                    let pixels = row * stride + part.x * 4..<row * stride + part.columns.upperBound * 4
                    scaler.add(UnsafeRawBufferPointer(rebasing: buffer[pixels]), to: target)
                }
            }
        }
        // Rows below the part aren't read.
        if part.rows.upperBound == size.height { try finish() }
    }

    /// - Parameter isLast: Whether the rows are complete afterwards.
    private func read(
        _ rows: Int, into pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int, isLast: Bool
    ) throws(ImageLoaderError) {
        precondition(pixels.count >= (rows - 1) * bytesPerRow + size.width * 4, "rows beyond the image")
        guard let toneMapping else { return try read(rows, pixels, bytesPerRow) }
        if head.is_deep == 0 { try read(rows, pixels, bytesPerRow) }
        if !isLast { return }
        var samples = [UInt16](repeating: 0, count: head.is_deep == 0 ? 0 : size.width * 4)
        for start in Swift.stride(from: 0, to: rows * bytesPerRow, by: bytesPerRow) {
            let row = UnsafeMutableRawBufferPointer(rebasing: pixels[start..<start + size.width * 4])
            if head.is_deep == 0 {
                toneMapping.map(row)
            } else {
                var span = samples.mutableSpan
                try span.withUnsafeMutableBytes { (bytes) throws(ImageLoaderError) in
                    try read(1, bytes, bytes.count)
                }
                toneMapping.map(samples.span, to: row)
            }
        }
    }

    private func read(
        _ rows: Int, _ samples: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int
    ) throws(ImageLoaderError) {
        var message = alcedo_message()
        let status = alcedo_png_read(
            handle, samples.bindMemory(to: UInt8.self).baseAddress, bytesPerRow, UInt32(rows), &message)
        guard status == alcedo_more else { throw status.error(.png, message) }
    }

    private func premultiply(_ pixels: UnsafeMutableRawBufferPointer) {
        guard hasAlpha else { return }
        if isCgBI { pixels.limitColorsToAlpha() } else { pixels.premultiply() }
    }

    private func finish() throws(ImageLoaderError) {
        var message = alcedo_message()
        try alcedo_png_finish(handle, &message).check(.png, message)
    }

    /// The number of rows with about 256 KiB of pixels, which take a millisecond or two.
    private static func bandRows(_ size: PixelSize) -> Int { max(1, (1 << 16) / size.width) }
}
#endif
