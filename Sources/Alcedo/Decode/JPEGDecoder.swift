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
/// decoded at a half, a quarter or an eighth of its size. Rows are scaled to the target while they are decoded, so only
/// the result takes memory, unless a region is requested. A progressive file still needs memory for its coefficients, 3
/// to 8 bytes per pixel.
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
        let size = Self.scaledSize(of: decoded, atLeast: least) ?? decoded.size
        return try request.limits.bitmapBytes(for: size) + header.coefficientBytes
    }

    private static func decodedPart(
        _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) -> JPEGReduction {
        let fitting = PictureFitting(header, request)
        // Without a region, rows are scaled while they are decoded, and only the result has to fit into memory.
        guard let region = fitting.region else { return JPEGReduction(of: header.size, atLeast: least) }
        return JPEGReduction(
            of: header.size, region: region, atLeast: fitting.storedSize, bitmapBytes: request.limits.bitmapBytes)
    }

    /// The size that rows are scaled to while they are decoded; nil to keep them all.
    private static func scaledSize(of decoded: JPEGReduction, atLeast least: PixelSize?) -> PixelSize? {
        guard decoded.part == nil, let least, least != decoded.whole, least.width <= decoded.whole.width,
            least.height <= decoded.whole.height
        else { return nil }
        return least
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
        let scaled = Self.scaledSize(of: reduction, atLeast: least)
        let size = scaled ?? reduction.size
        var builder = try BitmapBuilder(unwritten: size, limits: request.limits)
        let bytes = data.bytes
        let inks = header.makesColorTables ? try inkConversion(data, request.limits) : nil
        try request.cancellation.check()
        try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try bytes.withUnsafeBytes { (input) throws(ImageLoaderError) in
                if scaled == nil {
                    try decode(input, reduction, inks, to: pixels, request)
                } else {
                    try decode(input, reduction, inks, scaledTo: size, into: pixels, request)
                }
            }
        }
        // A decode that ends without an error has written all rows.
        builder.wrote(rows: size.height)
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: true)
        picture.profile = try profile(of: data, header, request.limits)
        if scaled != nil { return picture }
        picture.reduction = reduction.denominator
        picture.part = reduction.covered
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
        _ input: UnsafeRawBufferPointer, _ reduction: JPEGReduction, _ inks: InkConversion?,
        to pixels: UnsafeMutableRawBufferPointer, _ request: DecodeRequest
    ) throws(ImageLoaderError) {
        try decode(
            input, reduction, inks, request, to: { UnsafeMutableRawBufferPointer(rebasing: pixels[$0...]) },
            took: { _ in })
    }

    /// Scales the rows while they are in the processor's cache, so that only a few of them take memory.
    private func decode(
        _ input: UnsafeRawBufferPointer, _ reduction: JPEGReduction, _ inks: InkConversion?, scaledTo size: PixelSize,
        into target: UnsafeMutableRawBufferPointer, _ request: DecodeRequest
    ) throws(ImageLoaderError) {
        let stride = reduction.whole.width * 4
        var scaler = RowScaler(
            from: reduction.whole, to: size, of: reduction.original, dividedBy: reduction.denominator)
        var band = [UInt8](repeating: 0, count: stride * max(1, Self.bandBytes / stride))
        var span = band.mutableSpan
        try span.withUnsafeMutableBytes { (band) throws(ImageLoaderError) in
            try decode(input, reduction, inks, request, to: { _ in band }) { rows in
                for start in Swift.stride(from: 0, to: rows.count, by: stride) {
                    scaler.add(UnsafeRawBufferPointer(rebasing: rows[start..<start + stride]), to: target)
                }
            }
        }
    }

    private static let bandBytes = 128 << 10

    /// Decodes all rows in order.
    ///
    /// - Parameters:
    ///   - memory: Returns the memory for further rows, at least one, after a number of bytes.
    ///   - took: Called with the rows that have been decoded into that memory.
    private func decode(
        _ input: UnsafeRawBufferPointer, _ reduction: JPEGReduction, _ inks: InkConversion?, _ request: DecodeRequest,
        to memory: (_ done: Int) -> UnsafeMutableRawBufferPointer, took: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(ImageLoaderError) {
        let limits = request.limits
        var size = reduction.forCodec
        size.keeps_inks = inks == nil ? 0 : 1
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
        let stride = reduction.size.width * 4
        var done = 0
        while try limits.jpegHasMore(after: status, message) {
            try request.cancellation.check()
            let free = memory(done)
            var count: UInt32 = 0
            status = alcedo_jpeg_step(
                handle, free.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: free.count / stride), &count,
                &message)
            let rows = UnsafeMutableRawBufferPointer(rebasing: free[..<(Int(count) * stride)])
            inks?.apply(to: rows)
            took(rows)
            done += rows.count
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
