#if os(Linux) && PNG
public import Foundation

/// Reads PNG through the system's libpng: all colour types and depths, interlaced or not, and animations (APNG).
///
/// Of samples of 16 bits the high byte is taken. Colours are taken as they are: gamma is not applied, and a colour
/// profile is handed on with the picture. A file that ends too early or has a wrong checksum in what the pixels need is
/// an error; pixel data behind the last row are ignored. An animation whose chunks are not as they should be is the
/// still picture that any PNG viewer shows.
///
/// Costs some 22 ms per megapixel, most of it decompression. When a smaller picture is asked for, its rows are scaled
/// as they come, so the whole is never in memory; interlaced files need it all.
public struct PNGDecoder: ImageDecoding, StoredPictureDecoding {
    public var format: ImageFormat { .png }

    /// A decoder; it has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        var header = try ImageHeader(png: data, limits: limits)
        // An animation whose chunks are not as they should be is decoded as a still picture.
        if header.frameCount == nil {
            header.frameCount = APNGAnimation(data, size: header.size, limits: limits)?.frameCount ?? 1
        }
        return header
    }

    public func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        let streamed =
            header.frameCount == 1 ? Self.streamedSize(header, PictureFitting(header, request).storedSize) : nil
        return try request.limits.bitmapBytes(for: streamed ?? header.size)
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture {
        let chunks = try PNGChunks(scanning: data.span, limits: request.limits)
        let animation = chunks.isAnimated ? APNGAnimation(data, size: chunks.size, limits: request.limits) : nil
        let moves = (animation?.frameCount ?? 0) > 1 && request.frames == .all
        if let animation, moves {
            try request.limits.check(animation: animation.size, frames: animation.frameCount)
        }
        var picture: StoredPicture
        if let animation, !animation.beginsWithStill {
            var frames = animation.frames()
            picture = StoredPicture(bitmap: try frames.next(), isOpaque: !chunks.hasAlpha && animation.coversCanvas)
        } else {
            picture = try still(data, header, least, request)
        }
        if moves { picture.animation = animation }
        if let place = chunks.profile {
            let start = data.startIndex
            let packed = data[start + place.lowerBound..<start + place.upperBound]
            picture.profile = try PNGProfile.unpacked(packed, limits: request.limits)
        }
        return picture
    }

    private func still(
        _ data: Data, _ header: ImageHeader, _ least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture {
        let streamed = Self.streamedSize(header, least)
        let size = streamed ?? header.size
        var builder = try BitmapBuilder(unwritten: size, limits: request.limits)
        let bytes = data.bytes
        let hasAlpha = try builder.withBytes { (pixels) throws(ImageLoaderError) in
            try pixels.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
                try bytes.withUnsafeBytes { (input) throws(ImageLoaderError) in
                    let decode = try PNGDecode(input, header.size)
                    guard let streamed else {
                        try decode.readAll(into: pixels, premultiplies: true, request.cancellation)
                        return decode.hasAlpha
                    }
                    try decode.readAll(scaledTo: streamed, into: pixels, request.cancellation)
                    return decode.hasAlpha
                }
            }
        }
        // A decode that ends without an error has written them all.
        builder.wrote(rows: size.height)
        return StoredPicture(bitmap: builder.freeze(), isOpaque: !hasAlpha)
    }

    /// The size that rows are scaled to as they come; nil when all of them are needed.
    private static func streamedSize(_ header: ImageHeader, _ least: PixelSize?) -> PixelSize? {
        guard let least, !header.isInterlaced, least != header.size, least.width <= header.size.width,
            least.height <= header.size.height
        else { return nil }
        return least
    }
}
#endif
