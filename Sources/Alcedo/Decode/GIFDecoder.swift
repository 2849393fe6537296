#if GIF || canImport(Darwin)
public import Foundation

/// Reads GIF, still and animated, without a library.
///
/// As in browsers, the canvas starts transparent and its background color isn't painted. An image may extend beyond
/// the canvas; only the part within it is shown. A canvas with a side of 0 is extended to hold the first image. Pixels
/// whose index has no color in the palette stay unchanged.
///
/// The first image must be complete, and all others must be present; pixels that turn out to be missing or undecodable
/// in a later image are an error of that frame. A file that ends after the pixels of an image is complete.
/// Anything after the images is ignored.
///
/// Costs about 4 ms per megapixel and frame for noise, and needs no canvas besides the frames.
public struct GIFDecoder: ImageDecoding, StoredImageDecoding {
    public var format: ImageFormat { .gif }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    /// Reads the canvas size and the frame count.
    ///
    /// Visits all blocks of the file, but skips the contents of those with pixels.
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
    ) throws(ImageLoaderError) -> StoredImage {
        var blocks = try GIFBlocks(scanning: data.span, limits: request.limits)
        if let cut = blocks.cutFrame {
            let count = cut.size.width * cut.size.height
            if try GIFUnpacker.has(count, in: data, at: cut.dataOffset, request.cancellation) {
                try blocks.takeCutFrame(request.limits)
            }
        }
        let showsPart = request.damaged == .showWhatIsThere
        var isComplete = blocks.damage == nil
        if showsPart, blocks.frames.isEmpty { try blocks.takeCutFrame(request.limits) }
        if let damage = blocks.damage, !showsPart || blocks.frames.isEmpty {
            throw .corruptImage(.gif, reason: damage)
        }
        let animation = GIFAnimation(data: data, blocks: blocks, limits: request.limits)
        var frames = GIFFrames(animation, request.cancellation, showsPart: showsPart)
        var picture = try StoredImage(bitmap: frames.next(), isOpaque: isOpaque(data, blocks, request.frames))
        if frames.isPart {
            // The frames that follow are drawn on this one.
            (isComplete, picture.isOpaque) = (false, false)
        } else if blocks.frames.count > 1, request.frames == .all {
            picture.animation = animation
        }
        picture.isComplete = isComplete
        return picture
    }

    /// Whether no pixel can be transparent: the first image covers the canvas, and no image is removed.
    private func isOpaque(_ data: Data, _ blocks: GIFBlocks, _ frames: DecodeRequest.Frames) -> Bool {
        guard let first = blocks.frames.first, let indexBits = data.span.byte(at: first.dataOffset) else {
            return false
        }
        return first.covers(blocks.size, indexBits: indexBits)
            && (frames == .first || blocks.frames.dropLast().allSatisfy { $0.disposal == .keep })
    }
}
#endif
