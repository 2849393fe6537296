import Foundation

/// The metadata in the chunks of a PNG (PNG third edition, section 11). Checks no CRC, because libpng does.
struct PNGChunks {
    /// Whether the file is in Apple's variant for apps, whose first chunk is CgBI.
    let isCgBI: Bool
    let size: PixelSize
    /// Whether the color type has an alpha channel, or a chunk declares transparent colors.
    private(set) var hasAlpha: Bool
    /// The bits per sample; palette colors have 8.
    let bitsPerSample: Int
    let isInterlaced: Bool
    let isGray: Bool
    private(set) var orientation = Orientation.up
    /// The byte range of the compressed ICC profile.
    private(set) var profile: Range<Int>?
    /// The colors that take precedence over a profile (cICP).
    private(set) var codedColors: ColorDescription?
    /// Whether the colors are sRGB, unless a profile says otherwise (sRGB).
    private var saysSRGB = false
    /// The gamma and chromaticities, in units of 1/100,000 (gAMA, cHRM).
    private var gamma: Int?
    private var chromaticities: [Int]?
    private var hasPalette = false
    /// Whether the file has its end chunk.
    private(set) var hasEnd = false
    /// The number of times that the file declares itself animated.
    private var claims = 0

    init(scanning bytes: Span<UInt8>, limits: DecodeLimits) throws(ImageLoaderError) {
        guard bytes.has("PNG\r\n\u{1A}\n", at: 1) else { throw .corruptImage(.png, reason: "no signature") }
        isCgBI = bytes.has("CgBI", at: 12)
        let head = isCgBI ? 28 + (bytes.long(at: 8) ?? 0) : 16
        guard bytes.has("IHDR", at: head - 4), let width = bytes.long(at: head), let height = bytes.long(at: head + 4)
        else {
            throw .corruptImage(.png, reason: "does not begin with a whole image header")
        }
        guard width > 0, height > 0 else { throw .corruptImage(.png, reason: "\(width) × \(height) pixels") }
        size = PixelSize(width: width, height: height)
        let colorType = bytes.byte(at: head + 9) ?? 0
        isGray = colorType & 2 == 0
        hasAlpha = colorType & 4 != 0
        bitsPerSample = colorType & 1 != 0 ? 8 : Int(bytes.byte(at: head + 8) ?? 8)
        isInterlaced = bytes.byte(at: head + 12) != 0
        try walk(bytes, limits)
    }

    /// Whether the file is an animation, provided its frames turn out to be well-formed.
    ///
    /// A file that declares this twice is a still image, and so is Apple's variant.
    var isAnimated: Bool { claims == 1 && !isCgBI }

    /// The colors of a file that has neither a profile nor ``codedColors``; nil for sRGB.
    var plainColors: ColorDescription? {
        // Primaries don't matter for gray.
        let primaries = isGray ? nil : chromaticities
        if saysSRGB || gamma == nil && primaries == nil { return nil }
        return ColorDescription(gamma: gamma, chromaticities: primaries)
    }

    /// Walks the chunks: length (4 bytes), type (4), data, CRC (4).
    private mutating func walk(_ bytes: Span<UInt8>, _ limits: DecodeLimits) throws(ImageLoaderError) {
        var offset = 8
        var (sawPixels, sawOrientation) = (false, false)
        while let length = bytes.long(at: offset) {
            // libpng keeps a copy even of a palette that has no effect, and allocates the memory before it reads the
            // palette.
            if bytes.has("PLTE", at: offset + 4) {
                try limits.check(metadataBytes: length)
                hasPalette = true
            }
            guard offset + 12 + length <= bytes.count else { break }
            let content = offset + 8..<offset + 8 + length
            if bytes.has("IDAT", at: offset + 4) {
                sawPixels = true
            } else if bytes.has("IEND", at: offset + 4) {
                hasEnd = true
            } else if bytes.has("eXIf", at: offset + 4), !sawOrientation {
                // This chunk is allowed before and after the pixels.
                try limits.check(metadataBytes: length)
                orientation = Orientation(exif: bytes.extracting(content))
                sawOrientation = true
            } else if !sawPixels {
                try read(bytes, content, limits)
            }
            offset = content.upperBound + 4
        }
    }

    /// Whether all chunks before the pixels have arrived.
    static func hasReachedPixels(_ bytes: Span<UInt8>) -> Bool {
        var offset = 8
        while let length = bytes.long(at: offset), bytes.byte(at: offset + 7) != nil {
            if bytes.has("IDAT", at: offset + 4) { return true }
            offset += 12 + length
        }
        return false
    }

    /// Reads a chunk that is only valid before the pixels.
    private mutating func read(
        _ bytes: Span<UInt8>, _ content: Range<Int>, _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        let type = content.lowerBound - 4
        if bytes.has("tRNS", at: type) {
            hasAlpha = true
        } else if bytes.has("acTL", at: type) {
            claims += 1
        } else if bytes.has("iCCP", at: type), profile == nil {
            try limits.check(metadataBytes: content.count)
            // A name of 1 to 79 bytes, NUL, and the compression method, of which only one exists.
            let end = content.prefix(80).first { bytes[$0] == 0 }
            guard let end, end > content.lowerBound, end + 2 < content.upperBound, bytes[end + 1] == 0 else { return }
            profile = end + 2..<content.upperBound
        } else if !hasPalette {
            readColors(bytes, content)
        }
    }

    /// Reads a chunk that describes the colors. The first chunk of each kind counts.
    private mutating func readColors(_ bytes: Span<UInt8>, _ content: Range<Int>) {
        let (type, start) = (content.lowerBound - 4, content.lowerBound)
        if bytes.has("sRGB", at: type), content.count == 1 {
            saysSRGB = true
        } else if bytes.has("gAMA", at: type), content.count == 4, gamma == nil {
            gamma = bytes.long(at: start)
        } else if bytes.has("cHRM", at: type), content.count == 32, chromaticities == nil {
            chromaticities = stride(from: start, to: content.upperBound, by: 4).compactMap { bytes.long(at: $0) }
        } else if bytes.has("cICP", at: type), content.count == 4, codedColors == nil,
            // RGB rather than luma and chroma, in full range.
            bytes[start + 2] == 0, bytes[start + 3] == 1
        {
            codedColors = ColorDescription(primaries: bytes[start], transfer: bytes[start + 1])
        }
    }
}

extension ImageHeader {
    /// Reads the header of a PNG, and the lengths of its chunks to find an orientation.
    init(png data: Data, limits: DecodeLimits) throws(ImageLoaderError) {
        let chunks = try PNGChunks(scanning: data.span, limits: limits)
        self.init(format: .png, size: chunks.size, orientation: chunks.orientation)
        hasAlpha = chunks.hasAlpha
        bitsPerSample = chunks.bitsPerSample
        // The header doesn't say whether the announced frames are well-formed.
        frameCount = chunks.isAnimated ? nil : 1
        profileBytes = chunks.profile?.count
        isInterlaced = chunks.isInterlaced
        isHDR = chunks.codedColors?.isHDR == true
        makesColorTables = chunks.codedColors != nil || chunks.plainColors != nil
        try limits.check(size)
    }
}
