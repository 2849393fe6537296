#if os(Linux) && JPEGXL
import CJxl
import Foundation

/// A file opened with libjxl, with a copy of its codestream that libjxl reads until the decoder is destroyed.
final class JPEGXLFile {
    private let bytes: UnsafeMutableRawPointer
    private let count: Int
    private let decoder: OpaquePointer
    /// The number of bytes that libjxl has read and won't need again.
    private var position = 0
    /// The number of bytes that libjxl has been given.
    private var given = 0
    /// The offset of the first frame.
    private var framesStart = 0
    private(set) var info = JxlBasicInfo()
    private(set) var colors = JPEGXLColors()
    private(set) var frames: JPEGXLFrames

    private init(_ bytes: UnsafeMutableRawPointer, _ count: Int, _ decoder: OpaquePointer, _ frames: JPEGXLFrames) {
        (self.bytes, self.count, self.decoder, self.frames) = (bytes, count, decoder, frames)
    }

    deinit {
        JxlDecoderDestroy(decoder)
        free(bytes)
    }

    /// Reads everything before the pixels, and checks all frames against the limits.
    static func open(_ data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> JPEGXLFile {
        let codestream = try data.jpegXLCodestream
        let noMemory = ImageLoaderError.limitExceeded(.inputBytes, value: codestream.count, allowed: 0)
        let decoder = try makeDecoder()
        guard let bytes = malloc(max(1, codestream.count)) else {
            JxlDecoderDestroy(decoder)
            throw noMemory
        }
        codestream.copyBytes(to: UnsafeMutableRawBufferPointer(start: bytes, count: codestream.count))
        let file = JPEGXLFile(bytes, codestream.count, decoder, JPEGXLFrames())
        try file.readHead(limits)
        file.frames = try file.frames(in: codestream, limits)
        return file
    }

    /// Makes a decoder that reports a file's head, and each frame when it is complete.
    static func makeDecoder() throws(ImageLoaderError) -> OpaquePointer {
        guard let decoder = JxlDecoderCreate(nil) else {
            throw .limitExceeded(.bitmapBytes, value: 0, allowed: 0)
        }
        // The orientation is applied to the decoded image, after scaling.
        JxlDecoderSetKeepOrientation(decoder, JXL_TRUE)
        let events = JXL_DEC_BASIC_INFO.rawValue | JXL_DEC_COLOR_ENCODING.rawValue | JXL_DEC_FULL_IMAGE.rawValue
        JxlDecoderSubscribeEvents(decoder, Int32(events))
        return decoder
    }

    private func readHead(_ limits: DecodeLimits) throws(ImageLoaderError) {
        try advance(to: JXL_DEC_BASIC_INFO)
        guard JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS else { throw Self.damage }
        try limits.check(size)
        try advance(to: JXL_DEC_COLOR_ENCODING)
        colors = try JPEGXLColors(decoder, info, limits)
        let end = given
        release()
        framesStart = position
        try give(upTo: end)
    }

    // MARK: Header

    /// The size as stored.
    var size: PixelSize { PixelSize(width: Int(info.xsize), height: Int(info.ysize)) }
    var orientation: Orientation {
        UInt8(exactly: info.orientation.rawValue).flatMap(Orientation.init(rawValue:)) ?? .up
    }
    var hasAlpha: Bool { info.alpha_bits > 0 }
    var frameCount: Int { info.have_animation != 0 ? max(1, frames.durations.count) : 1 }
    var loopCount: LoopCount { LoopCount(plays: Int(info.animation.num_loops)) }

    var picture: JPEGXLFrame.Picture {
        JPEGXLFrame.Picture(
            size: size, isXYB: info.uses_original_profile == 0, extraChannels: Int(info.num_extra_channels),
            hasAnimation: info.have_animation != 0, hasTimecodes: info.animation.have_timecodes != 0)
    }

    /// The frames of the file's codestream, as far as it is present.
    func frames(in codestream: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> JPEGXLFrames {
        let preview =
            info.have_preview != 0
            ? PixelSize(width: Int(info.preview.xsize), height: Int(info.preview.ysize)) : nil
        return try JPEGXLFrames(codestream, from: framesStart, of: picture, preview: preview, limits)
    }

    /// The duration of each frame.
    var delays: [Duration] {
        let ticks = Double(max(1, info.animation.tps_numerator)) / Double(max(1, info.animation.tps_denominator))
        return frames.durations.map { .microseconds(Int(min(Double($0) / ticks, 1e6) * 1e6 + 0.5)) }
    }

    // MARK: Pixels

    /// Decodes the next frame, premultiplied.
    func nextFrame(
        _ limits: DecodeLimits, _ cancellation: DecodeCancellation? = nil
    ) throws(ImageLoaderError) -> Bitmap {
        try advance(to: JXL_DEC_NEED_IMAGE_OUT_BUFFER, cancellation)
        var builder = try BitmapBuilder(size: size, limits: limits)
        let width = builder.bytesPerRow
        if let toneMapping = colors.toneMapping {
            var samples = [UInt16](repeating: 0, count: width * size.height)
            var span = samples.mutableSpan
            try span.withUnsafeMutableBytes { (bytes) throws(ImageLoaderError) in
                try read(JXL_TYPE_UINT16, into: bytes, cancellation)
            }
            for y in 0..<size.height {
                if y & 63 == 0 { try cancellation?.check() }
                let row = y * width..<(y + 1) * width
                builder.withUnsafeMutableBytes {
                    toneMapping.map(samples.span.extracting(row), to: UnsafeMutableRawBufferPointer(rebasing: $0[row]))
                }
            }
        } else {
            try builder.withUnsafeMutableBytes { (bytes) throws(ImageLoaderError) in
                try read(JXL_TYPE_UINT8, into: bytes, cancellation)
            }
        }
        finish(&builder)
        return builder.freeze()
    }

    /// Turns decoded samples into premultiplied pixels.
    func finish(_ builder: inout BitmapBuilder) {
        if !hasAlpha {
            builder.makeOpaque()
        } else if info.alpha_premultiplied != 0 {
            builder.withUnsafeMutableBytes { $0.limitColorsToAlpha() }
        } else {
            builder.premultiply()
        }
    }

    static func format(_ type: JxlDataType) -> JxlPixelFormat {
        JxlPixelFormat(num_channels: 4, data_type: type, endianness: JXL_NATIVE_ENDIAN, align: 0)
    }

    private func read(
        _ type: JxlDataType, into samples: UnsafeMutableRawBufferPointer, _ cancellation: DecodeCancellation?
    ) throws(ImageLoaderError) {
        var format = Self.format(type)
        let status = JxlDecoderSetImageOutBuffer(decoder, &format, samples.baseAddress, samples.count)
        guard status == JXL_DEC_SUCCESS else { throw .unsupportedImage(.jxl, reason: "no pixels of this kind") }
        try advance(to: JXL_DEC_FULL_IMAGE, cancellation)
    }

    // MARK: Input

    /// Gives libjxl a few bytes at a time, so that it can be stopped, until it reports `event`.
    private func advance(
        to event: JxlDecoderStatus, _ cancellation: DecodeCancellation? = nil
    ) throws(ImageLoaderError) {
        let piece = max(1 << 16, count / 64)
        while true {
            try cancellation?.check()
            let status = JxlDecoderProcessInput(decoder)
            if status == event { return }
            switch status {
            case JXL_DEC_NEED_MORE_INPUT:
                guard given < count else { throw .corruptImage(.jxl, reason: "ends too early") }
                let end = min(count, given + piece)
                release()
                try give(upTo: end)
            case JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING: continue
            default: throw Self.damage
            }
        }
    }

    /// Takes back the bytes that libjxl hasn't read.
    private func release() {
        position = given - JxlDecoderReleaseInput(decoder)
        given = position
    }

    /// Gives libjxl the bytes that it hasn't read, up to an offset.
    private func give(upTo end: Int) throws(ImageLoaderError) {
        given = end
        let start = bytes.assumingMemoryBound(to: UInt8.self) + position
        guard JxlDecoderSetInput(decoder, start, end - position) == JXL_DEC_SUCCESS else { throw Self.damage }
    }

    private static var damage: ImageLoaderError { .corruptImage(.jxl, reason: "damaged data") }
}
#endif
