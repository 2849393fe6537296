#if os(Linux) && WebP
import CWebP

/// Decodes one image with libwebp.
enum WebPPixels {
    /// Writes the image as straight RGBA into `pixels`, scaled to `target`.
    ///
    /// - Parameters:
    ///   - input: A file, or the part of it that holds one image.
    ///   - size: The size that the image must have.
    ///   - part: The only part of the image to write, unscaled, which begins at even coordinates; nil for all of it.
    static func decode(
        _ input: UnsafeRawBufferPointer, of size: PixelSize, _ part: PixelRectangle? = nil,
        to pixels: UnsafeMutableRawBufferPointer,
        size target: PixelSize, bytesPerRow: Int, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        let input = input.bindMemory(to: UInt8.self)
        var config = WebPDecoderConfig()
        if WebPInitDecoderConfig(&config) == 0 { try VP8_STATUS_INVALID_PARAM.check(size) }
        try WebPGetFeatures(input.baseAddress, input.count, &config.input).check(size)
        guard config.input.width == size.width, config.input.height == size.height else {
            throw .corruptImage(.webp, reason: "its image has another size than its head says")
        }
        if let part {
            config.crop(to: part)
        } else if target != size {
            config.scale(to: target)
        }
        config.output.colorspace = MODE_RGBA
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = pixels.bindMemory(to: UInt8.self).baseAddress
        config.output.u.RGBA.stride = Int32(clamping: bytesPerRow)
        config.output.u.RGBA.size = pixels.count
        try withUnsafeMutablePointer(to: &config) { (config) throws(ImageLoaderError) in
            try feed(input, config, cancellation).check(size)
        }
    }

    /// Feeds the decoder in pieces, so that it can be cancelled between two of them. There are few enough pieces that
    /// the bytes that the codec reads again for each one hardly matter.
    private static func feed(
        _ input: UnsafeBufferPointer<UInt8>, _ config: UnsafeMutablePointer<WebPDecoderConfig>,
        _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> VP8StatusCode {
        guard let decoder = WebPIDecode(nil, 0, config) else { return VP8_STATUS_OUT_OF_MEMORY }
        defer { WebPIDelete(decoder) }
        let piece = max(smallestPiece, input.count / mostPieces)
        var count = 0
        var status = VP8_STATUS_SUSPENDED
        while status == VP8_STATUS_SUSPENDED, count < input.count {
            try cancellation.check()
            count = min(input.count, count + piece)
            status = WebPIUpdate(decoder, input.baseAddress, count)
        }
        return status
    }

    private static let smallestPiece = 64 << 10
    private static let mostPieces = 32
}

extension VP8StatusCode {
    /// Throws the error for this status and an image of `size`, unless the status is `VP8_STATUS_OK`.
    func check(_ size: PixelSize) throws(ImageLoaderError) {
        switch self {
        case VP8_STATUS_OK: return
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: throw .corruptImage(.webp, reason: "ends too early")
        case VP8_STATUS_UNSUPPORTED_FEATURE: throw .unsupportedImage(.webp, reason: "unknown features")
        case VP8_STATUS_OUT_OF_MEMORY:
            throw .limitExceeded(.bitmapBytes, value: size.width * size.height * 4, allowed: 0)
        default: throw .corruptImage(.webp, reason: "damaged")
        }
    }
}

extension WebPDecoderConfig {
    mutating func crop(to part: PixelRectangle) {
        options.use_cropping = 1
        options.crop_left = Int32(clamping: part.x)
        options.crop_top = Int32(clamping: part.y)
        options.crop_width = Int32(clamping: part.size.width)
        options.crop_height = Int32(clamping: part.size.height)
    }

    mutating func scale(to size: PixelSize) {
        options.use_scaling = 1
        options.scaled_width = Int32(clamping: size.width)
        options.scaled_height = Int32(clamping: size.height)
    }
}
#endif
