#if os(Linux) && JPEG
import CShims
public import Foundation

/// Reads JPEG through the system's libjpeg-turbo.
///
/// Baseline, progressive and arithmetic-coded files of 8 bits, with any sampling, in colour, grey and ink (CMYK, YCCK).
/// Colours are taken as they are: an ICC profile is not applied. A file in which picture data is missing or
/// undecodable is an error; stray bytes between its segments and after its end are not.
/// A full decode costs some 4 ms per megapixel, twice that when progressive.
public struct JPEGDecoder: ImageDecoding, StoredPictureDecoding {
    public var format: ImageFormat { .jpeg }

    /// A decoder; it has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try ImageHeader(jpeg: data, limits: limits)
    }

    package func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture {
        let limits = request.limits
        var builder = try BitmapBuilder(size: header.size, limits: limits)
        var message = alcedo_message()
        let status = data.withUnsafeBytes { input in
            builder.withBytes { pixels in
                pixels.withUnsafeMutableBytes { pixels in
                    alcedo_jpeg_decode(
                        input.bindMemory(to: UInt8.self).baseAddress, input.count,
                        UInt32(header.size.width), UInt32(header.size.height),
                        Int32(clamping: limits.jpegScans),
                        pixels.bindMemory(to: UInt8.self).baseAddress, &message)
                }
            }
        }
        if status == alcedo_scan_limit {
            throw .limitExceeded(.jpegScans, value: limits.jpegScans + 1, allowed: limits.jpegScans)
        }
        try status.check(.jpeg, message)
        return StoredPicture(bitmap: builder.freeze(), isOpaque: true)
    }
}
#endif
