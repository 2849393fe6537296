#if os(Linux) && (JPEG || PNG)
import CShims
import Foundation

/// One of the shim's two encode functions, without its settings.
private typealias Encode = (
    _ pixels: UnsafePointer<UInt8>?, _ width: UInt32, _ height: UInt32,
    _ output: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, _ count: UnsafeMutablePointer<Int>,
    _ message: UnsafeMutablePointer<alcedo_message>
) -> alcedo_status

extension Bitmap {
    /// Runs `encode`; the returned data takes ownership of the bytes without copying.
    fileprivate func encoded(as format: ImageFormat, by encode: Encode) throws(ImageLoaderError) -> Data {
        var output: UnsafeMutablePointer<UInt8>?
        var count = 0
        var message = alcedo_message()
        let status = withUnsafeBytes { pixels in
            encode(
                pixels.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: size.width),
                UInt32(clamping: size.height), &output, &count, &message)
        }
        guard status == alcedo_done, let output else { throw .encodingFailed(format, reason: message.reason) }
        return Data(bytesNoCopy: output, count: count, deallocator: .free)
    }
}

#if JPEG
extension JPEGEncoder {
    func compress(_ bitmap: Bitmap, _ profile: Data?) throws(ImageLoaderError) -> Data {
        var settings = alcedo_jpeg_settings()
        settings.quality = Int32(quality)
        settings.is_gray = profile == nil && bitmap.isGray ? 1 : 0
        settings.pixels_per_color_x = subsampling == .yuv444 ? 1 : 2
        settings.pixels_per_color_y = subsampling == .yuv420 ? 2 : 1
        settings.is_progressive = isProgressive ? 1 : 0
        settings.optimizes_tables = optimizesHuffmanTables ? 1 : 0
        settings.restart_rows = Int32(restartRows)
        let file = try bitmap.encoded(as: .jpeg) { pixels, width, height, output, count, message in
            (settings.width, settings.height) = (width, height)
            return alcedo_jpeg_encode(pixels, &settings, output, count, message)
        }
        return profile.map { Self.embedded($0, in: file) } ?? file
    }
}
#endif

#if PNG
extension PNGEncoder {
    func compress(_ bitmap: Bitmap, _ profile: Data?, _ exif: Data?) throws(ImageLoaderError) -> Data {
        let hasGray = profile == nil && !isExact
        let layout = PNGLayout(of: bitmap, hasGray: hasGray)
        var file = try compress(bitmap, as: layout)
        // Smooth color transitions may be smaller without a palette, because filters then help.
        if layout.type == .palette, !isExact, bitmap.byteCount <= Self.mostBytesTriedTwice {
            let other = try compress(bitmap, as: PNGLayout(of: bitmap, hasGray: hasGray, hasPalette: false))
            if other.count < file.count { file = other }
        }
        if let exif { file = file.withChunk("eXIf", exif) }
        guard let profile else { return file }
        guard let whole = PNGProfile.embedded(profile, in: file, limits: .unlimited) else {
            throw .encodingFailed(.png, reason: "the color profile can't be packed")
        }
        return whole
    }

    /// 256 × 256 pixels.
    private static let mostBytesTriedTwice = 1 << 18

    func compress(_ bitmap: Bitmap, as layout: PNGLayout) throws(ImageLoaderError) -> Data {
        let palette = layout.palette.map(\.littleEndian)
        return try bitmap.encoded(as: .png) { pixels, width, height, output, count, message in
            palette.withUnsafeBytes { palette in
                var settings = alcedo_png_layout()
                (settings.width, settings.height) = (width, height)
                (settings.color_type, settings.depth) = (layout.type.rawValue, Int32(layout.depth))
                settings.palette = palette.bindMemory(to: UInt8.self).baseAddress
                settings.palette_count = Int32(palette.count / 4)
                (settings.level, settings.filters) = (Int32(compressionLevel), filters(for: layout))
                return withUnsafePointer(to: PNGRows(pixels: pixels, width: Int(width), layout: layout)) { rows in
                    alcedo_png_encode(&settings, PNGRows.pack, rows, output, count, message)
                }
            }
        }
    }

    /// libpng's flags.
    private func filters(for layout: PNGLayout) -> Int32 {
        switch filter {
        case .automatic where !layout.isOrdered || compressionLevel == 0, .none: 0x08
        case .automatic where compressionLevel == 1, .sub: 0x10
        case .up: 0x20
        case .average: 0x40
        case .paeth: 0x80
        case .automatic, .adaptive: 0xF8
        }
    }
}

/// The rows of a bitmap, for the shim.
private struct PNGRows {
    let pixels: UnsafePointer<UInt8>?
    let width: Int
    let layout: PNGLayout

    /// The first argument is a pointer to an instance.
    static let pack: alcedo_png_pack = { rows, y, row in
        guard let rows = rows?.assumingMemoryBound(to: PNGRows.self).pointee, let pixels = rows.pixels, let row else {
            return
        }
        let first = UnsafeRawPointer(pixels + Int(y) * rows.width * 4)
        rows.layout.pack(first.assumingMemoryBound(to: UInt32.self), count: rows.width, to: row)
    }
}
#endif
#endif
