#if GIF
public import Foundation

/// Reads GIF, still and animated, without a library.
///
/// The canvas starts transparent, and its background colour is not painted, as browsers have it. An image may reach
/// beyond the canvas, and only the part within it is shown; a canvas of no size is made to hold the first image. Pixels
/// whose index has no colour in the palette stay as they were. The first image must be whole, and all others must be
/// there; pixels that turn out to be missing or undecodable in a later one are an error of that frame. A file that ends
/// behind an image is whole: it lacks only its trailer. What comes after the images is not read.
///
/// Costs some 4 ms per megapixel and frame of noise, and no canvas besides the frames.
public struct GIFDecoder: ImageDecoding, StoredPictureDecoding {
    public var format: ImageFormat { .gif }

    /// A decoder; it has no settings and no state.
    public init() {}

    /// The canvas and the count of frames; looks at all blocks of the file, and not into those with pixels.
    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let blocks = try GIFBlocks(scanning: data.span, limits: limits)
        var header = ImageHeader(format: .gif, size: blocks.size)
        header.bitsPerSample = 8
        header.hasAlpha = blocks.frames.isEmpty ? nil : !isOpaque(data, blocks, .all)
        header.frameCount = blocks.damage == nil ? blocks.frames.count : nil
        return header
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture {
        let blocks = try GIFBlocks(scanning: data.span, limits: request.limits)
        if let damage = blocks.damage { throw .corruptImage(.gif, reason: damage) }
        var frames = GIFFrames(data, blocks, request.limits, request.cancellation)
        var picture = try StoredPicture(bitmap: frames.next(), isOpaque: isOpaque(data, blocks, request.frames))
        if blocks.frames.count > 1, request.frames == .all {
            picture.animation = GIFAnimation(data: data, blocks: blocks, limits: request.limits)
        }
        return picture
    }

    /// Whether no pixel can be transparent: the first image covers the canvas, and none is taken away.
    private func isOpaque(_ data: Data, _ blocks: GIFBlocks, _ frames: DecodeRequest.Frames) -> Bool {
        guard let first = blocks.frames.first, let indexBits = data.span.byte(at: first.dataOffset) else {
            return false
        }
        return first.covers(blocks.size, indexBits: indexBits)
            && (frames == .first || blocks.frames.dropLast().allSatisfy { $0.disposal == .keep })
    }
}
#endif
