#if os(Linux) && PNG
import CShims
public import Foundation

/// Reads PNG through the system's libpng: all colour types and depths, interlaced or not.
///
/// Of samples of 16 bits the high byte is taken. Colours are taken as they are: gamma and colour profiles are not
/// applied. Of an animated PNG this is the still picture that any PNG viewer shows. A file that ends too early or has
/// a wrong checksum in what the pixels need is an error. Costs some 22 ms per megapixel, most of it decompression.
public struct PNGDecoder: ImageDecoding, StoredPictureDecoding {
    public var format: ImageFormat { .png }

    /// A decoder; it has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try ImageHeader(png: data, limits: limits)
    }

    package func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture {
        let limits = request.limits
        var builder = try BitmapBuilder(size: header.size, limits: limits)
        var message = alcedo_message()
        var hasAlpha: Int32 = 0
        let status = data.withUnsafeBytes { input in
            builder.withBytes { pixels in
                pixels.withUnsafeMutableBytes { pixels in
                    alcedo_png_decode(
                        input.bindMemory(to: UInt8.self).baseAddress, input.count,
                        UInt32(header.size.width), UInt32(header.size.height),
                        pixels.bindMemory(to: UInt8.self).baseAddress, &hasAlpha, &message)
                }
            }
        }
        try status.check(.png, message)
        if hasAlpha != 0 { builder.premultiply() }
        return StoredPicture(bitmap: builder.freeze(), isOpaque: hasAlpha == 0)
    }
}
#endif
