#if BMP || canImport(Darwin)
/// The headers of a Windows or OS/2 bitmap, and the locations of its palette and pixels.
///
/// After the first 14 bytes comes a header that begins with its own length, which identifies the version: 12 or 16
/// bytes for OS/2, 40 for Windows 3, 52 or 56 with masks, 64 for OS/2 2, 108 or 124 with colors (Windows GDI, Bitmap
/// Header Types). Icons begin with the second header.
struct BMPHeader: Sendable {
    /// The encoding of the pixels.
    enum Coding: Sendable, Hashable {
        /// As indices into the palette, or as blue, green and red, possibly followed by an unused byte.
        case plain
        /// As blue, green, red and alpha.
        case withAlpha
        /// As numbers of 16 or 32 bits that contain the bits of all channels.
        case channels(BMPChannels)
        /// As runs of equal pixels.
        case runs
    }

    let size: PixelSize
    /// Whether the top row is the first in the file.
    let isTopDown: Bool
    let bitsPerPixel: Int
    let coding: Coding
    /// The location of the palette, whose colors have three bytes each in OS/2 1 and four in all other versions.
    private(set) var palette = (offset: 0, count: 0, bytesPerColor: 4)
    private(set) var pixelOffset = 0
    /// The byte range of the ICC profile.
    private(set) var profile: Range<Int>?
    /// The colors, if the header describes them by numbers.
    let colors: ColorDescription?

    /// - Parameters:
    ///   - start: The offset of the header that begins with its length.
    ///   - format: An icon's header has no pixel offset, and its height includes the rows of the mask.
    init(
        of bytes: Span<UInt8>, at start: Int = 14, in format: ImageFormat = .bmp, limits: DecodeLimits
    ) throws(ImageLoaderError) {
        guard let length = bytes.littleLong(at: start), start + length <= bytes.count else {
            throw .corruptImage(format, reason: "ends within its header")
        }
        guard Self.lengths.contains(length) else {
            throw .corruptImage(format, reason: "a header of \(length) bytes")
        }
        let (width, height) = Self.sides(bytes, start, isShort: length == 12)
        size = PixelSize(width: width, height: format == .ico ? abs(height) / 2 : abs(height))
        guard width > 0, size.height > 0 else { throw .corruptImage(format, reason: "\(width) × \(height) pixels") }
        try limits.check(size)
        isTopDown = height < 0
        bitsPerPixel = bytes.littleWord(at: start + (length == 12 ? 10 : 14)) ?? 0
        coding = try Self.coding(bytes, start, length, bitsPerPixel, format)
        if isTopDown, coding == .runs { throw .corruptImage(format, reason: "runs of pixels from the top down") }
        colors = length >= 108 ? ColorDescription(bitmap: bytes, at: start) : nil
        try place(bytes, start, length, format)
        if length == 124, bytes.has("DEBM", at: start + 56) {
            let (offset, count) = (bytes.littleLong(at: start + 112) ?? 0, bytes.littleLong(at: start + 116) ?? 0)
            try limits.check(metadataBytes: count)
            profile = start + offset..<start + offset + count
        }
    }

    private static let lengths: Set = [12, 16, 40, 52, 56, 64, 108, 124]

    /// The width and the height, which is negative in top-down bitmaps.
    private static func sides(_ bytes: Span<UInt8>, _ start: Int, isShort: Bool) -> (Int, Int) {
        if isShort { return (bytes.littleWord(at: start + 4) ?? 0, bytes.littleWord(at: start + 6) ?? 0) }
        func number(_ offset: Int) -> Int {
            Int(Int32(truncatingIfNeeded: bytes.littleLong(at: start + offset) ?? 0))
        }
        return (number(4), number(8))
    }

    // MARK: Pixels

    private static func coding(
        _ bytes: Span<UInt8>, _ start: Int, _ length: Int, _ bits: Int, _ format: ImageFormat
    ) throws(ImageLoaderError) -> Coding {
        let code = length >= 40 ? bytes.littleLong(at: start + 16) ?? 0 : 0
        switch (code, bits) {
        case (0, 32) where format == .ico: return .withAlpha
        case (0, 16): return .channels(.fiveBits)
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 24), (0, 32): return .plain
        case (0, _): throw .unsupportedImage(format, reason: "\(bits) bits per pixel")
        case (1, 8), (2, 4),
            (4, 24) where length == 64:
            if format == .ico { throw .unsupportedImage(format, reason: "runs of pixels in an icon") }
            return .runs
        case (3, _) where length == 64: throw .unsupportedImage(format, reason: "Huffman coding (OS/2)")
        case (3, 16), (3, 32), (6, 16), (6, 32):
            let hasAlpha = length >= 56 || code == 6
            guard let channels = BMPChannels(bytes, at: start + 40, bits: bits, hasAlpha: hasAlpha) else {
                throw .corruptImage(format, reason: "the bits of a channel aren't side by side")
            }
            return bits == 32 && channels.isBGRA ? .withAlpha : .channels(channels)
        case (4, _): throw .unsupportedImage(format, reason: "contains a JPEG")
        case (5, _): throw .unsupportedImage(format, reason: "contains a PNG")
        case (11...13, _): throw .unsupportedImage(format, reason: "CMYK")
        default: throw .corruptImage(format, reason: "compression \(code) of \(bits) bits per pixel")
        }
    }

    /// Finds the palette and the pixels.
    private mutating func place(
        _ bytes: Span<UInt8>, _ start: Int, _ length: Int, _ format: ImageFormat
    ) throws(ImageLoaderError) {
        var offset = start + length
        // Only in this version do the masks follow the header.
        if length == 40 { offset += [3: 12, 6: 16][bytes.littleLong(at: start + 16) ?? 0] ?? 0 }
        palette = (offset, 0, length == 12 ? 3 : 4)
        let claimed = length >= 40 ? bytes.littleLong(at: start + 32) ?? 0 : 0
        let isIndexed = bitsPerPixel <= 8
        if isIndexed {
            let most = 1 << bitsPerPixel
            palette.count = (1...most).contains(claimed) ? claimed : most
        }
        pixelOffset = offset + (isIndexed ? palette.count : claimed) * palette.bytesPerColor
        if format == .bmp, let told = bytes.littleLong(at: 10), told != 0 {
            guard told >= offset else { throw .corruptImage(format, reason: "pixels within its header") }
            pixelOffset = told
            palette.count = min(palette.count, (told - offset) / palette.bytesPerColor)
        }
        if isIndexed, palette.count == 0 { throw .corruptImage(format, reason: "no palette") }
    }

    /// The number of bytes from one stored row to the next, a multiple of four.
    var bytesPerRow: Int { (size.width.multiplied(by: bitsPerPixel) + 31) / 32 * 4 }

    /// The number of bytes of all rows.
    var pixelBytes: Int { bytesPerRow.multiplied(by: size.height) }

    /// The bits per sample; palette colors have 8.
    var bitsPerSample: Int { if case .channels(let channels) = coding { channels.mostBits } else { 8 } }

    /// Whether pixels may have alpha.
    var mayHaveAlpha: Bool {
        switch coding {
        case .plain: false
        case .withAlpha: true
        case .channels(let channels): channels.alpha.bits > 0
        // Runs may leave out pixels.
        case .runs: true
        }
    }
}

extension ColorDescription {
    /// Reads the colors of a bitmap whose header has 108 bytes or more: chromaticities in units of 1/2³⁰, and powers in
    /// units of 1/2¹⁶ (Windows GDI, BITMAPV4HEADER). Returns nil for sRGB and for values that describe no colors.
    ///
    /// The white point isn't stored; that of sRGB is used.
    fileprivate init?(bitmap bytes: Span<UInt8>, at start: Int) {
        func numbers(_ offsets: StrideTo<Int>) -> [Int] {
            offsets.map { Int(Int32(truncatingIfNeeded: bytes.littleLong(at: start + $0) ?? 0)) }
        }
        // 0 means that these numbers describe the colors.
        guard bytes.littleLong(at: start + 56) == 0 else { return nil }
        var chromaticities = [31_270, 32_900]
        let powers = numbers(stride(from: 96, to: 108, by: 4))
        for color in 0..<3 {
            let point = numbers(stride(from: 60 + 12 * color, to: 72 + 12 * color, by: 4))
            let sum = point.reduce(0, +)
            guard sum > 0, point.allSatisfy({ $0 >= 0 }) else { return nil }
            chromaticities += point.prefix(2).map { $0 * 100_000 / sum }
        }
        guard let power = powers.first, power > 0, powers.allSatisfy({ $0 == power }) else { return nil }
        self.init(gamma: 65_536 * 100_000 / power, chromaticities: chromaticities)
    }
}
#endif
