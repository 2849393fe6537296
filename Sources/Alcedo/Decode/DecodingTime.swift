/// The speed of a codec, for finding images that decode almost instantly. The values are at the slow end of what was
/// measured, because an image that takes longer than estimated occupies a thread of the cooperative pool.
struct CodecSpeed {
    /// Nanoseconds per pixel.
    let perPixel: Int
    /// Nanoseconds per byte of the file.
    let perByte: Int

    static let jpeg = CodecSpeed(perPixel: 4, perByte: 12)
    static let png = CodecSpeed(perPixel: 25, perByte: 5)
    static let webP = CodecSpeed(perPixel: 12, perByte: 30)
    static let bmp = CodecSpeed(perPixel: 6, perByte: 1)

    /// Nanoseconds per pixel for scaling and turning.
    private static let perFittedPixel = 8
    private static let perImage = 10_000

    /// Estimates the duration of a decode. Returns nil for animations, large files, and images that need several
    /// passes, have much metadata or are converted to other colors.
    func time(_ header: ImageHeader, byteCount: Int, _ request: DecodeRequest) -> Duration? {
        guard byteCount <= 64 << 10, header.frameCount == 1, !header.isInterlaced, header.coefficientBytes == 0,
            !request.convertsToSRGB, !header.makesColorTables, header.profileBytes ?? 0 <= 4 << 10,
            Self.isSmall(header.size)
        else { return nil }
        let fitting = PictureFitting(header, request)
        guard Self.isSmall(fitting.size) else { return nil }
        let fitted = fitting.isEmpty ? 0 : header.size.area + fitting.size.area
        return .nanoseconds(
            Self.perImage + perPixel * header.size.area + perByte * byteCount + Self.perFittedPixel * fitted)
    }

    /// Whether products of the sides can't overflow.
    private static func isSmall(_ size: PixelSize) -> Bool { size.width <= 1024 && size.height <= 1024 }
}

extension PixelSize {
    fileprivate var area: Int { width * height }
}
