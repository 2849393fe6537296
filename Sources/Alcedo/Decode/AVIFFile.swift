#if os(Linux) && AVIF
import CAvif
import Foundation

/// A file opened with libavif, with a copy of its bytes that libavif reads until the decoder is destroyed.
final class AVIFFile {
    private let bytes: UnsafeMutableRawPointer
    private let count: Int
    private let decoder: UnsafeMutablePointer<avifDecoder>
    private var image: avifImage { decoder.pointee.image.pointee }

    private init(_ bytes: UnsafeMutableRawPointer, _ count: Int, _ decoder: UnsafeMutablePointer<avifDecoder>) {
        self.bytes = bytes
        self.count = count
        self.decoder = decoder
    }

    deinit {
        avifDecoderDestroy(decoder)
        free(bytes)
    }

    /// Reads the boxes of a file without decoding pixels.
    static func open(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> AVIFFile {
        guard let bytes = malloc(max(1, data.count)) else {
            throw .limitExceeded(.inputBytes, value: data.count, allowed: 0)
        }
        guard let decoder = avifDecoderCreate() else {
            free(bytes)
            throw .limitExceeded(.inputBytes, value: data.count, allowed: 0)
        }
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: bytes, count: data.count))
        let file = AVIFFile(bytes, data.count, decoder)
        try file.parse(limits)
        return file
    }

    private func parse(_ limits: DecodeLimits) throws(ImageLoaderError) {
        decoder.pointee.maxThreads = 1
        decoder.pointee.ignoreXMP = AVIF_TRUE
        // An AVIF has its own orientation; the EXIF orientation must be ignored.
        decoder.pointee.ignoreExif = AVIF_TRUE
        // Many existing files lack what the strict rules require.
        decoder.pointee.strictFlags = AVIF_STRICT_DISABLED.rawValue
        // The largest size limit that libavif accepts, because its error wouldn't name the limit. The frame count needs
        // a real limit, because libavif builds a table of all frames.
        decoder.pointee.imageSizeLimit = Self.mostPixels
        decoder.pointee.imageDimensionLimit = 0
        decoder.pointee.imageCountLimit = UInt32(clamping: max(1, limits.frames) + 1)
        try check(avifDecoderSetIOMemory(decoder, bytes.assumingMemoryBound(to: UInt8.self), count))
        try check(avifDecoderParse(decoder))
        try limits.check(size)
        if let profileBytes { try limits.check(metadataBytes: profileBytes) }
        // From here on, no image may be larger than the file claimed.
        decoder.pointee.imageSizeLimit = min(Self.mostPixels, UInt32(clamping: size.width * size.height))
    }

    private static let mostPixels: UInt32 = 16_384 * 16_384

    // MARK: Header

    var size: PixelSize { PixelSize(width: Int(image.width), height: Int(image.height)) }
    var hasAlpha: Bool { decoder.pointee.alphaPresent != AVIF_FALSE }
    var bitsPerSample: Int { Int(image.depth) }
    var frameCount: Int { Int(decoder.pointee.imageCount) }
    var profileBytes: Int? { image.icc.size > 0 ? image.icc.size : nil }
    private var isGray: Bool { image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 }
    /// The colors that the nclx box of a file without a profile describes.
    private var colors: ColorDescription? {
        profileBytes != nil
            ? nil
            : ColorDescription(
                primaries: UInt8(clamping: image.colorPrimaries),
                transfer: UInt8(clamping: image.transferCharacteristics))
    }
    var isHDR: Bool { colors?.isHDR == true }
    /// The profile of the decoded pixels. Gray pixels may have an RGB profile, as in JPEG.
    var profile: Data? {
        guard let profileBytes, let data = image.icc.data else { return colors?.profile(isGray: isGray) }
        return Data(bytes: data, count: profileBytes).profile(of: isGray ? [.gray, .rgb] : [.rgb])
    }

    /// The image's rotation, which applies first, and its mirroring.
    var orientation: Orientation {
        let flags = image.transformFlags
        let quarters = flags & AVIF_TRANSFORM_IROT.rawValue != 0 ? Int(image.irot.angle) & 3 : 0
        let plain: [Orientation] = [.up, .left, .down, .right]
        guard flags & AVIF_TRANSFORM_IMIR.rawValue != 0 else { return plain[quarters] }
        let isUpsideDown = alcedo_avif_mirror(decoder.pointee.image) == 0
        let mirrored: [Orientation] =
            isUpsideDown
            ? [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
            : [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
        return mirrored[quarters]
    }

    /// The duration of each frame.
    var delays: [Duration] {
        (0..<UInt32(clamping: frameCount)).map { index in
            var timing = avifImageTiming()
            guard avifDecoderNthImageTiming(decoder, index, &timing) == AVIF_RESULT_OK, timing.duration.isFinite else {
                return .zero
            }
            return .seconds(min(max(0, timing.duration), 1e6))
        }
    }

    /// Throws when the bytes of a frame extend beyond the end of the file.
    func requireAllFrames() throws(ImageLoaderError) {
        for index in 0..<UInt32(clamping: frameCount) {
            var extent = avifExtent()
            try check(avifDecoderNthImageMaxExtent(decoder, index, &extent))
            let (end, overflows) = extent.offset.addingReportingOverflow(UInt64(extent.size))
            guard !overflows, end <= UInt64(count) else { throw .corruptImage(.avif, reason: "ends too early") }
        }
    }

    // MARK: Pixels

    /// Decodes the next frame, premultiplied.
    ///
    /// - Parameter cancellation: Stops the tone mapping of HDR. Decoding by libavif can't be stopped.
    func nextFrame(
        _ limits: DecodeLimits, _ cancellation: DecodeCancellation? = nil
    ) throws(ImageLoaderError) -> Bitmap {
        let expected = size
        try check(avifDecoderNextImage(decoder))
        guard size == expected else { throw .corruptImage(.avif, reason: "a frame of another size") }
        var builder = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = builder.bytesPerRow
        if let toneMapping = colors?.toneMapping {
            var samples = [UInt16](repeating: 0, count: size.width * size.height * 4)
            var span = samples.mutableSpan
            try check(span.withUnsafeMutableBytes { read($0, depth: 16, bytesPerRow: bytesPerRow * 2) })
            for start in stride(from: 0, to: samples.count, by: bytesPerRow) {
                try cancellation?.check()
                let row = start..<start + bytesPerRow
                builder.withUnsafeMutableBytes {
                    toneMapping.map(samples.span.extracting(row), to: UnsafeMutableRawBufferPointer(rebasing: $0[row]))
                }
            }
        } else {
            try check(builder.withUnsafeMutableBytes { read($0, depth: 8, bytesPerRow: bytesPerRow) })
        }
        if hasAlpha { builder.premultiply() }
        return builder.freeze()
    }

    /// Writes the samples of the current frame as straight RGBA.
    private func read(_ samples: UnsafeMutableRawBufferPointer, depth: UInt32, bytesPerRow: Int) -> avifResult {
        var target = avifRGBImage()
        avifRGBImageSetDefaults(&target, decoder.pointee.image)
        target.format = AVIF_RGB_FORMAT_RGBA
        target.depth = depth
        target.pixels = samples.bindMemory(to: UInt8.self).baseAddress
        target.rowBytes = UInt32(clamping: bytesPerRow)
        return avifImageYUVToRGB(decoder.pointee.image, &target)
    }

    private func check(_ result: avifResult) throws(ImageLoaderError) {
        switch result {
        case AVIF_RESULT_OK: return
        case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_IO_ERROR, AVIF_RESULT_NO_IMAGES_REMAINING:
            throw .corruptImage(.avif, reason: "ends too early")
        case AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_NO_CODEC_AVAILABLE, AVIF_RESULT_UNSUPPORTED_DEPTH:
            throw .unsupportedImage(.avif, reason: Self.words(result))
        case AVIF_RESULT_OUT_OF_MEMORY:
            throw .limitExceeded(.bitmapBytes, value: size.width * size.height * 4, allowed: 0)
        default: throw .corruptImage(.avif, reason: Self.words(result))
        }
    }

    private static func words(_ result: avifResult) -> String { String(cString: avifResultToString(result)) }
}
#endif
