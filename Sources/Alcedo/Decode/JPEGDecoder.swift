#if os(Linux) && JPEG
import CShims
public import Foundation

/// Reads JPEG with the system's libjpeg-turbo.
///
/// Supports baseline, progressive and arithmetic-coded files of 8 bits with any sampling, in color, grayscale and CMYK
/// (also YCCK). Colors aren't converted: an ICC profile is passed on with the image but not applied. Inks are the
/// exception: they are converted to sRGB, with their profile if there is one. Using the profile adds about 25 ms, plus
/// 55 ms per megapixel, and requires the trait `ColorProfiles`; previews, and the part of a damaged file that can be
/// shown, are converted by arithmetic. A file with missing or undecodable image data is an error; stray bytes between
/// its segments and after its end aren't, nor is a missing end marker.
///
/// A full decode costs about 3 ms per megapixel, three times that if progressive. For a small target, the file is
/// decoded at a half, a quarter or an eighth of its size, without memory for the full-size pixels. A progressive file
/// still needs memory for its coefficients, 3 to 8 bytes per pixel.
public struct JPEGDecoder: StoredImageDecoding, EstimatedDecoding, ProfileReading {
    public var format: ImageFormat { .jpeg }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try ImageHeader(jpeg: data, limits: limits)
    }

    func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        let least = PictureFitting(header, request).wholeSize
        let decoded = Self.decodedPart(header, atLeast: least, request)
        return try request.limits.bitmapBytes(for: decoded.size) + header.coefficientBytes
    }

    private static func decodedPart(
        _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) -> JPEGReduction {
        let fitting = PictureFitting(header, request)
        return JPEGReduction(
            of: header.size, region: fitting.region, atLeast: fitting.region == nil ? least : fitting.storedSize,
            bitmapBytes: request.limits.bitmapBytes)
    }

    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        DecodeCost(
            workingBytes: try workingBytes(header, request),
            time: CodecSpeed.jpeg.time(header, byteCount: byteCount, request))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let reduction = Self.decodedPart(header, atLeast: least, request)
        var builder = try BitmapBuilder(unwritten: reduction.size, limits: request.limits)
        let bytes = data.bytes
        let inks = header.makesColorTables ? try inkConversion(data, request.limits) : nil
        try request.cancellation.check()
        try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try bytes.withUnsafeBytes { (input) throws(ImageLoaderError) in
                try decode(input, reduction, keepsInks: inks != nil, to: pixels, request)
            }
            try inks?.apply(to: pixels, rowBytes: reduction.size.width * 4, request.cancellation)
        }
        // A decode that ends without an error has written all rows.
        builder.wrote(rows: reduction.size.height)
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: true)
        picture.reduction = reduction.denominator
        picture.part = reduction.covered
        picture.profile = try profile(of: data, header, request.limits)
        return picture
    }

    func profile(of data: Data, _ header: ImageHeader, _ limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        if header.profileBytes == nil { return nil }
        return try JPEGMarkers(scanning: data.span, limits: limits).profile(in: data.span)
    }

    /// The conversion by the file's profile; nil if the profile can't be used. The inks are then converted by
    /// arithmetic.
    private func inkConversion(_ data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> InkConversion? {
        try JPEGMarkers(scanning: data.span, limits: limits).inkProfile(in: data.span).flatMap(InkConversion.init)
    }

    private func decode(
        _ input: UnsafeRawBufferPointer, _ reduction: JPEGReduction, keepsInks: Bool,
        to pixels: UnsafeMutableRawBufferPointer, _ request: DecodeRequest
    ) throws(ImageLoaderError) {
        let limits = request.limits
        var size = reduction.forCodec
        size.keeps_inks = keepsInks ? 1 : 0
        var message = alcedo_message()
        var coefficients = UInt64(limits.jpegCoefficientBytes)
        var handle: OpaquePointer?
        defer { alcedo_jpeg_end(handle) }
        var status = alcedo_jpeg_begin(
            input.bindMemory(to: UInt8.self).baseAddress, input.count, &size, Int32(clamping: limits.jpegScans),
            &coefficients, &handle, &message)
        if status == alcedo_memory_limit {
            throw .limitExceeded(.bitmapBytes, value: Int(clamping: coefficients), allowed: limits.jpegCoefficientBytes)
        }
        while try limits.jpegHasMore(after: status, message) {
            try request.cancellation.check()
            status = alcedo_jpeg_step(handle, pixels.bindMemory(to: UInt8.self).baseAddress, &message)
        }
    }
}

extension InkConversion {
    /// Converts the pixels in place, a few rows at a time so that the conversion can be cancelled.
    fileprivate func apply(
        to pixels: UnsafeMutableRawBufferPointer, rowBytes: Int, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        let step = max(1, (256 << 10) / rowBytes) * rowBytes
        for start in stride(from: 0, to: pixels.count, by: step) {
            try cancellation.check()
            apply(to: UnsafeMutableRawBufferPointer(rebasing: pixels[start..<min(start + step, pixels.count)]))
        }
    }
}

extension JPEGReduction {
    var forCodec: alcedo_jpeg_size {
        alcedo_jpeg_size(
            width: UInt32(original.width), height: UInt32(original.height), denominator: UInt32(denominator),
            output_width: UInt32(whole.width), output_height: UInt32(whole.height), keeps_inks: 0,
            part_x: UInt32(part?.x ?? 0), part_y: UInt32(part?.y ?? 0), part_width: UInt32(part?.size.width ?? 0),
            part_height: UInt32(part?.size.height ?? 0))
    }
}

extension DecodeLimits {
    /// Whether a JPEG codec that returned `status` has more to do. Throws the error of a failure.
    func jpegHasMore(after status: alcedo_status, _ message: alcedo_message) throws(ImageLoaderError) -> Bool {
        switch status {
        case alcedo_more: return true
        case alcedo_scan_limit: throw .limitExceeded(.jpegScans, value: jpegScans + 1, allowed: jpegScans)
        case alcedo_memory_limit:
            throw .limitExceeded(.bitmapBytes, value: jpegCoefficientBytes + 1, allowed: jpegCoefficientBytes)
        default:
            try status.check(.jpeg, message)
            return false
        }
    }

    /// The limit for coefficients: twice the memory allowed for pixels, enough for a complete file with four full-size
    /// components.
    var jpegCoefficientBytes: Int { max(0, bitmapBytes).multiplied(by: 2) }
}
#endif
