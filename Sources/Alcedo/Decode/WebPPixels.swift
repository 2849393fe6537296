#if os(Linux) && WebP
import CWebP

/// One picture's bytes, and the calls to libwebp that decode them.
struct WebPPixels {
    /// The result of a decode.
    enum Outcome {
        case done
        case cancelled
        case otherSize
        case failed(VP8StatusCode)

        /// Throws the corresponding error for a picture of that size, unless the decode succeeded.
        func check(_ size: PixelSize) throws(ImageLoaderError) {
            switch self {
            case .done: return
            case .cancelled: throw .cancelled
            case .otherSize: throw .corruptImage(.webp, reason: "its picture has another size than its head says")
            case .failed(VP8_STATUS_SUSPENDED), .failed(VP8_STATUS_NOT_ENOUGH_DATA):
                throw .corruptImage(.webp, reason: "ends too early")
            case .failed(VP8_STATUS_UNSUPPORTED_FEATURE): throw .unsupportedImage(.webp, reason: "unknown features")
            case .failed(VP8_STATUS_OUT_OF_MEMORY):
                throw .limitExceeded(.bitmapBytes, value: size.width * size.height * 4, allowed: 0)
            case .failed: throw .corruptImage(.webp, reason: "damaged")
            }
        }
    }

    /// A file, or the part of it that holds one picture.
    private let input: UnsafeRawBufferPointer
    private let size: PixelSize

    /// - Parameter size: the size that the picture must have.
    init(_ input: UnsafeRawBufferPointer, of size: PixelSize) {
        self.input = input
        self.size = size
    }

    /// Writes the picture as straight RGBA into `pixels`, scaled to `target`.
    func decode(
        to pixels: UnsafeMutableRawBufferPointer, size target: PixelSize, bytesPerRow: Int,
        _ cancellation: DecodeCancellation
    ) -> Outcome {
        let input = input.bindMemory(to: UInt8.self)
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else { return .failed(VP8_STATUS_INVALID_PARAM) }
        let status = WebPGetFeatures(input.baseAddress, input.count, &config.input)
        guard status == VP8_STATUS_OK else { return .failed(status) }
        guard config.input.width == size.width, config.input.height == size.height else { return .otherSize }
        if target != size {
            config.options.use_scaling = 1
            config.options.scaled_width = Int32(clamping: target.width)
            config.options.scaled_height = Int32(clamping: target.height)
        }
        config.output.colorspace = MODE_RGBA
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = pixels.bindMemory(to: UInt8.self).baseAddress
        config.output.u.RGBA.stride = Int32(clamping: bytesPerRow)
        config.output.u.RGBA.size = pixels.count
        return withUnsafeMutablePointer(to: &config) { Self.feed(input, $0, cancellation) }
    }

    /// Feeds the decoder in pieces, so that it can be cancelled between two of them. The number of pieces is low enough
    /// that what the codec reads again for each one doesn't add up.
    private static func feed(
        _ input: UnsafeBufferPointer<UInt8>, _ config: UnsafeMutablePointer<WebPDecoderConfig>,
        _ cancellation: DecodeCancellation
    ) -> Outcome {
        guard let decoder = WebPIDecode(nil, 0, config) else { return .failed(VP8_STATUS_OUT_OF_MEMORY) }
        defer { WebPIDelete(decoder) }
        let piece = max(smallestPiece, input.count / mostPieces)
        var count = 0
        var status = VP8_STATUS_SUSPENDED
        while status == VP8_STATUS_SUSPENDED, count < input.count {
            if cancellation.isCancelled { return .cancelled }
            count = min(input.count, count + piece)
            status = WebPIUpdate(decoder, input.baseAddress, count)
        }
        return status == VP8_STATUS_OK ? .done : .failed(status)
    }

    private static let smallestPiece = 64 << 10
    private static let mostPieces = 32
}
#endif
