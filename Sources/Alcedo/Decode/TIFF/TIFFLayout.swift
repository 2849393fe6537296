#if os(Linux) && TIFF
import CShims
import CTiff

/// The storage of a page's pixels, and the way they are read (TIFF 6.0, sections 3 to 23).
struct TIFFLayout {
    enum Colors {
        case gray(isInverted: Bool)
        case rgb
        /// Cyan, magenta, yellow and black.
        case inks
        case palette([SIMD4<UInt8>])
        /// Colors that libtiff converts to sRGB itself.
        case converted
    }

    let colors: Colors
    let bits: Int
    /// The number of a pixel's samples that are stored side by side: all of them, or one if each has its own plane.
    let samplesPerPixel: Int
    /// The planes that are read, in order: those of the colors and of alpha, or the only one.
    let planes: [Int]
    /// The index of alpha among the samples of a pixel, or among the planes that are read.
    let alpha: Int?
    let isPremultiplied: Bool
    /// The size of a tile; nil if the page consists of strips.
    let tile: PixelSize?
    let rowsPerStrip: Int
    let bytesPerRow: Int
    let bytesPerChunk: Int

    /// The maximum number of samples, more than any file has whose pixels are colors.
    private static let mostSamples = 64

    /// - Throws: ``ImageLoaderError/unsupportedImage(_:reason:)`` and ``ImageLoaderError/corruptImage(_:reason:)``.
    init(_ head: alcedo_tiff_head, _ limits: DecodeLimits) throws(ImageLoaderError) {
        try Self.checkCoding(head)
        colors = try Self.colors(head)
        bits = Int(head.bits)
        let count: Int
        switch colors {
        case .gray, .palette: count = 1
        case .rgb: count = 3
        case .inks: count = 4
        case .converted: count = 0
        }
        guard (1...Self.mostSamples).contains(Int(head.samples)), Int(head.colors) >= count else {
            throw .unsupportedImage(.tiff, reason: "pixels of \(head.samples) samples")
        }
        // Inks are opaque: their conversion has no alpha.
        let alpha = head.alpha >= count && count > 0 && count < 4 ? Int(head.alpha) : nil
        isPremultiplied = head.is_premultiplied != 0
        if head.is_planar != 0 {
            planes = Array(0..<count) + (alpha.map { [$0] } ?? [])
            self.alpha = alpha.map { _ in count }
            samplesPerPixel = 1
        } else {
            planes = [0]
            self.alpha = alpha
            samplesPerPixel = Int(head.samples)
        }
        let chunk = PixelSize(width: Int(head.chunk_width), height: Int(head.chunk_height))
        tile = head.is_tiled != 0 ? chunk : nil
        rowsPerStrip = chunk.height
        bytesPerRow = Int(clamping: head.row_bytes)
        bytesPerChunk = Int(clamping: head.chunk_bytes)
        try check(Int(head.width), limits)
    }

    /// Checks the memory that is held while rows are read.
    private func check(_ width: Int, _ limits: DecodeLimits) throws(ImageLoaderError) {
        let isWhole = if case .converted = colors { true } else { tile != nil }
        let held = (isWhole ? bytesPerChunk : bytesPerRow).multiplied(by: planes.count + 1)
        guard held <= limits.bitmapBytes else {
            throw .limitExceeded(.bitmapBytes, value: held, allowed: limits.bitmapBytes)
        }
        guard (tile.map { $0.width > 0 } ?? true), rowsPerStrip > 0, bytesPerRow > 0, bytesPerChunk > 0 else {
            throw .corruptImage(.tiff, reason: "strips or tiles without a size")
        }
        if case .converted = colors { return }
        let bitsPerRow = (tile?.width ?? width).multiplied(by: samplesPerPixel * bits)
        guard bytesPerRow >= bitsPerRow / 8 + (bitsPerRow % 8 == 0 ? 0 : 1),
            tile.map({ bytesPerChunk >= bytesPerRow.multiplied(by: $0.height) }) ?? true
        else { throw .unsupportedImage(.tiff, reason: "rows of \(bytesPerRow) bytes") }
    }

    private static func checkCoding(_ head: alcedo_tiff_head) throws(ImageLoaderError) {
        // libtiff's JBIG library ends the process when memory runs out, and a file determines how much it needs.
        guard head.is_configured != 0, Int32(head.compression) != COMPRESSION_JBIG else {
            throw .unsupportedImage(.tiff, reason: "compression \(head.compression)")
        }
    }

    private static func colors(_ head: alcedo_tiff_head) throws(ImageLoaderError) -> Colors {
        let isJPEG = Int32(head.compression) == COMPRESSION_JPEG && head.is_planar == 0
        switch Int32(head.photometric) {
        case PHOTOMETRIC_LOGL, PHOTOMETRIC_LOGLUV, PHOTOMETRIC_CIELAB: return .converted
        case PHOTOMETRIC_YCBCR where !isJPEG: return .converted
        default: break
        }
        guard [SAMPLEFORMAT_UINT, SAMPLEFORMAT_VOID].contains(Int32(head.sample_format)) else {
            throw .unsupportedImage(.tiff, reason: "samples that aren't unsigned integers")
        }
        guard (1...16).contains(head.bits) else {
            throw .unsupportedImage(.tiff, reason: "samples of \(head.bits) bits")
        }
        switch Int32(head.photometric) {
        case PHOTOMETRIC_MINISWHITE: return .gray(isInverted: true)
        case PHOTOMETRIC_MINISBLACK: return .gray(isInverted: false)
        case PHOTOMETRIC_RGB, PHOTOMETRIC_YCBCR: return .rgb
        case PHOTOMETRIC_SEPARATED where Int32(head.ink_set) == INKSET_CMYK: return .inks
        case PHOTOMETRIC_PALETTE: return .palette(try palette(head))
        default: throw .unsupportedImage(.tiff, reason: "colors of the kind \(head.photometric)")
        }
    }

    /// The palette, with as many colors as a sample can select.
    private static func palette(_ head: alcedo_tiff_head) throws(ImageLoaderError) -> [SIMD4<UInt8>] {
        guard let red = head.red, let green = head.green, let blue = head.blue else {
            throw .corruptImage(.tiff, reason: "no palette")
        }
        let indices = 0..<(1 << Int(head.bits))
        // Some programs write samples of 8 bits instead of 16.
        let isDeep = indices.contains { max(red[$0], green[$0], blue[$0]) > 255 }
        func sample(_ value: UInt16) -> UInt8 { isDeep ? value.rounded : UInt8(value) }
        return indices.map { SIMD4(sample(red[$0]), sample(green[$0]), sample(blue[$0]), 255) }
    }
}

extension UInt16 {
    /// The nearest value of eight bits.
    @inline(__always)
    var rounded: UInt8 { UInt8((UInt32(self) + 128) / 257) }
}
#endif
