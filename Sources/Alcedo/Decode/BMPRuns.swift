#if BMP || canImport(Darwin)
/// Draws the runs of a bitmap (Windows GDI, Bitmap Compression): pairs of a count and a color, and escapes that begin
/// with a count of 0. OS/2 also has runs of 24-bit pixels.
///
/// Pixels beyond the end of a row, and bytes after the last row, are ignored. Skipped pixels stay unchanged.
struct BMPRuns {
    private let size: PixelSize
    private let bits: Int
    private let palette: [UInt32]
    private var offset: Int
    private var x = 0
    /// The row, counted from the bottom.
    private var y = 0
    /// The number of pixels drawn. No pixel is drawn twice.
    private(set) var drawn = 0

    /// The result of reading one code.
    private enum Step { case next, end, cut, beyond }

    init(_ header: BMPHeader, of bytes: Span<UInt8>) {
        size = header.size
        bits = header.bitsPerPixel
        palette = bits == 24 ? [] : header.paletteColors(in: bytes)
        offset = header.pixelOffset
    }

    /// Draws all runs. Returns false if the file is incomplete or damaged.
    ///
    /// - Parameter showsPart: Whether the runs before any damage suffice.
    mutating func draw(
        _ bytes: Span<UInt8>, on pixels: UnsafeMutableBufferPointer<UInt32>, showsPart: Bool,
        _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Bool {
        var codes = 0
        while y < size.height {
            codes += 1
            if codes % 4_096 == 0 { try cancellation.check() }
            let step = step(bytes, pixels)
            if step == .next { continue }
            if step == .end { return true }
            // Only the end marker is missing.
            if step == .cut, y == size.height - 1, x >= size.width { return true }
            guard showsPart, drawn > 0 else {
                throw .corruptImage(.bmp, reason: step == .cut ? "ends too early" : "pixels beyond the image")
            }
            return false
        }
        return true
    }

    private mutating func step(_ bytes: Span<UInt8>, _ pixels: UnsafeMutableBufferPointer<UInt32>) -> Step {
        guard let count = bytes.byte(at: offset), let value = bytes.byte(at: offset + 1) else { return .cut }
        if count > 0 { return run(Int(count), bytes, pixels) }
        offset += 2
        switch value {
        case 0: (x, y) = (0, y + 1)
        case 1: return .end
        case 2:
            guard let right = bytes.byte(at: offset), let up = bytes.byte(at: offset + 1) else { return .cut }
            offset += 2
            (x, y) = (x + Int(right), y + Int(up))
            if x > size.width || y > size.height { return .beyond }
        default: return literals(Int(value), bytes, pixels)
        }
        return .next
    }

    /// Draws pixels of one color or, with four bits per pixel, of two alternating colors.
    private mutating func run(
        _ count: Int, _ bytes: Span<UInt8>, _ pixels: UnsafeMutableBufferPointer<UInt32>
    ) -> Step {
        let start = offset + 1
        offset = start + (bits == 24 ? 3 : 1)
        guard let one = color(0, bytes, start), let other = bits == 4 ? color(1, bytes, start) : one else {
            return .cut
        }
        for index in 0..<min(count, size.width - min(x, size.width)) { put(index % 2 == 0 ? one : other, pixels) }
        return .next
    }

    /// Draws pixels that are stored one by one, in an even number of bytes.
    private mutating func literals(
        _ count: Int, _ bytes: Span<UInt8>, _ pixels: UnsafeMutableBufferPointer<UInt32>
    ) -> Step {
        let start = offset
        for index in 0..<count {
            guard let color = color(index, bytes, start) else { return .cut }
            if x < size.width { put(color, pixels) }
        }
        let length = (count * bits + 7) / 8
        offset = start + length + length % 2
        return .next
    }

    /// The color of a pixel in a row of pixels that begins at `start`.
    private func color(_ index: Int, _ bytes: Span<UInt8>, _ start: Int) -> UInt32? {
        switch bits {
        case 24:
            guard let color = bytes.littleTriple(at: start + 3 * index).map(UInt32.init) else { return nil }
            return .pixel(red: color >> 16, green: color >> 8 & 255, blue: color & 255)
        case 8: return bytes.byte(at: start + index).map { palette[Int($0)] }
        default: return bytes.byte(at: start + index / 2).map { palette[Int(index % 2 == 0 ? $0 >> 4 : $0 & 15)] }
        }
    }

    private mutating func put(_ color: UInt32, _ pixels: UnsafeMutableBufferPointer<UInt32>) {
        pixels[(size.height - 1 - y) * size.width + x] = color
        x += 1
        drawn += 1
    }
}
#endif
