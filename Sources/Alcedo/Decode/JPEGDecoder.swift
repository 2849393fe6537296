#if os(Linux) && JPEG
import CShims
public import Foundation

/// Reads JPEG through the system's libjpeg-turbo.
///
/// Baseline, progressive and arithmetic-coded files of 8 bits, with any sampling, in colour, grey and ink (CMYK, YCCK).
/// Colours are taken as they are: an ICC profile is handed on with the picture and not applied. A file in which
/// picture data is missing or undecodable is an error; stray bytes between its segments and after its end are not.
///
/// A full decode costs some 3 ms per megapixel, three times that when progressive. When a small picture is asked for,
/// the file is decoded to a half, a quarter or an eighth of its size, which takes no memory for the pixels of the
/// whole; a progressive file needs its coefficients all the same, 3 to 8 bytes a pixel.
public struct JPEGDecoder: ImageDecoding, StoredPictureDecoding {
    public var format: ImageFormat { .jpeg }

    /// A decoder; it has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try ImageHeader(jpeg: data, limits: limits)
    }

    public func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        let reduction = JPEGReduction(of: header.size, atLeast: PictureFitting(header, request).storedSize)
        return try request.limits.bitmapBytes(for: reduction.size) + header.coefficientBytes
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture {
        let reduction = JPEGReduction(of: header.size, atLeast: least)
        var builder = try BitmapBuilder(unwritten: reduction.size, limits: request.limits)
        let bytes = data.bytes
        try builder.withBytes { (pixels) throws(ImageLoaderError) in
            try pixels.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
                try bytes.withUnsafeBytes { (input) throws(ImageLoaderError) in
                    let decode = try JPEGDecode(input, reduction, request.limits)
                    while try decode.step(pixels) { try request.cancellation.check() }
                }
            }
        }
        // A decode that ends without an error has written them all.
        builder.wrote(rows: reduction.size.height)
        var picture = StoredPicture(bitmap: builder.freeze(), isOpaque: true)
        picture.reduction = reduction.denominator
        if header.profileBytes != nil {
            picture.profile = try JPEGMarkers(scanning: data.span, limits: request.limits).profile(in: data.span)
        }
        return picture
    }
}

/// One decode in libjpeg's hands. Lives no longer than the input it was given.
private struct JPEGDecode: ~Copyable {
    private let handle: OpaquePointer?
    private let limits: DecodeLimits

    init(
        _ input: UnsafeRawBufferPointer, _ reduction: JPEGReduction, _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        var size = reduction.forCodec
        var message = alcedo_message()
        var handle: OpaquePointer?
        var coefficients = UInt64(limits.jpegCoefficientBytes)
        let status = alcedo_jpeg_begin(
            input.bindMemory(to: UInt8.self).baseAddress, input.count, &size, Int32(clamping: limits.jpegScans),
            &coefficients, &handle, &message)
        self.handle = handle
        self.limits = limits
        if status == alcedo_memory_limit {
            throw .limitExceeded(
                .bitmapBytes, value: Int(clamping: coefficients), allowed: limits.jpegCoefficientBytes)
        }
        _ = try Self.hasMore(status, message, limits)
    }

    deinit { alcedo_jpeg_end(handle) }

    /// Whether there is more to do.
    func step(_ pixels: UnsafeMutableRawBufferPointer) throws(ImageLoaderError) -> Bool {
        var message = alcedo_message()
        let status = alcedo_jpeg_step(handle, pixels.bindMemory(to: UInt8.self).baseAddress, &message)
        return try Self.hasMore(status, message, limits)
    }

    private static func hasMore(
        _ status: alcedo_status, _ message: alcedo_message, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Bool {
        switch status {
        case alcedo_more: return true
        case alcedo_scan_limit:
            throw .limitExceeded(.jpegScans, value: limits.jpegScans + 1, allowed: limits.jpegScans)
        default:
            try status.check(.jpeg, message)
            return false
        }
    }
}

extension JPEGReduction {
    var forCodec: alcedo_jpeg_size {
        alcedo_jpeg_size(
            width: UInt32(original.width), height: UInt32(original.height), denominator: UInt32(denominator),
            output_width: UInt32(size.width), output_height: UInt32(size.height))
    }
}

extension DecodeLimits {
    /// Twice what the pixels may take: what a whole file of four full components needs.
    var jpegCoefficientBytes: Int {
        let (bytes, overflows) = max(0, bitmapBytes).multipliedReportingOverflow(by: 2)
        return overflows ? .max : bytes
    }
}
#endif
