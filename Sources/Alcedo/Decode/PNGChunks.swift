/// What the chunks of a PNG say besides its pixels (PNG third edition, section 5); checks no CRC, libpng does.
struct PNGChunks {
    let size: PixelSize
    let orientation: Orientation

    init(scanning bytes: Span<UInt8>, limits: DecodeLimits) throws(ImageLoaderError) {
        guard bytes.has("PNG\r\n\u{1A}\n", at: 1) else { throw .corruptImage(.png, reason: "no signature") }
        guard !bytes.has("CgBI", at: 12) else {
            throw .unsupportedImage(.png, reason: "Apple's variant for apps (CgBI)")
        }
        guard bytes.has("IHDR", at: 12), let width = bytes.long(at: 16), let height = bytes.long(at: 20) else {
            throw .corruptImage(.png, reason: "does not begin with a whole image header")
        }
        guard width > 0, height > 0 else { throw .corruptImage(.png, reason: "\(width) × \(height) pixels") }
        size = PixelSize(width: width, height: height)
        orientation = try Self.orientation(in: bytes, limits: limits)
    }

    /// Walks the chunks: length (4), type (4), data, CRC (4). eXIf may stand before or after the pixels.
    private static func orientation(
        in bytes: Span<UInt8>, limits: DecodeLimits
    ) throws(ImageLoaderError) -> Orientation {
        var offset = 8
        while let length = bytes.long(at: offset), offset + 12 + length <= bytes.count {
            if bytes.has("eXIf", at: offset + 4) {
                try limits.check(metadataBytes: length)
                return Orientation(exif: bytes.extracting(offset + 8..<offset + 8 + length))
            }
            offset += 12 + length
        }
        return .up
    }
}
