#if os(Linux) && JPEGXL
import Foundation

/// All frames of a codestream, found by their heads before the codec sees them: the codec ends the process when memory
/// runs out, and a frame may claim to be larger than the picture.
struct JPEGXLFrames {
    /// The durations of the frames that the file shows, in units of the file.
    private(set) var durations: [Int] = []
    /// Whether any frame's head is there.
    private(set) var hasFrame = false
    /// Where the first frame begins of which the head isn't all there.
    private(set) var readableEnd = 0
    /// Whether the last frame ends within the codestream.
    private(set) var isWhole = false
    /// The pixels that the codec keeps for other frames at once, at most.
    private(set) var keptPixels = 0

    /// Those of a codestream that isn't read yet.
    init() {}

    /// - Parameters:
    ///   - offset: Where the first frame begins.
    ///   - preview: The size of the picture that precedes the others.
    /// - Throws: when a frame, or all that aren't shown together, exceed a limit.
    init(
        _ codestream: Data, from offset: Int, of picture: JPEGXLFrame.Picture, preview: PixelSize?,
        _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        var start = offset
        readableEnd = offset
        if let preview {
            let small = JPEGXLFrame.Picture(
                size: preview, isXYB: picture.isXYB, extraChannels: picture.extraChannels,
                hasAnimation: picture.hasAnimation, hasTimecodes: picture.hasTimecodes)
            guard let frame = try Self.frame(codestream, start, small, limits), let end = frame.end else { return }
            start = end
            readableEnd = end
        }
        var hiddenPixels = 0
        var kept = [0, 0, 0, 0]
        while let frame = try Self.frame(codestream, start, picture, limits) {
            let pixels = frame.size.width * frame.size.height
            if frame.isShown { durations.append(frame.duration) } else { hiddenPixels += pixels }
            if let place = frame.place { kept[place] = pixels }
            keptPixels = max(keptPixels, kept.reduce(0, +))
            try Self.check(hiddenPixels, keptPixels, durations.count, limits)
            hasFrame = true
            readableEnd = frame.isLast ? Int.max : frame.end ?? Int.max
            if frame.isLast {
                isWhole = frame.end.map { $0 <= codestream.count } ?? true
                return
            }
            guard let end = frame.end else {
                throw .unsupportedImage(.jxl, reason: "several frames with sections in an order of their own")
            }
            start = end
        }
    }

    private static func check(
        _ hidden: Int, _ kept: Int, _ shown: Int, _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        guard hidden <= limits.pixels else {
            throw .limitExceeded(.imagePixels, value: hidden, allowed: limits.pixels)
        }
        let most = limits.bitmapBytes.multiplied(by: 2)
        guard kept.multiplied(by: 4) <= most else {
            throw .limitExceeded(.bitmapBytes, value: kept.multiplied(by: 4), allowed: most)
        }
        try limits.check(frames: shown)
    }

    /// Nil if its head isn't all there.
    private static func frame(
        _ codestream: Data, _ start: Int, _ picture: JPEGXLFrame.Picture, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> JPEGXLFrame? {
        guard start < codestream.count else { return nil }
        var bits = JPEGXLBits(codestream, at: start)
        let frame = try JPEGXLFrame(&bits, of: picture, limits)
        if bits.isPastEnd { return nil }
        // The codec holds four bytes for each sample.
        let most = limits.bitmapBytes.multiplied(by: 4)
        let held = (frame.size.width * frame.size.height).multiplied(by: 4 * (3 + picture.extraChannels))
        guard held <= most else { throw .limitExceeded(.bitmapBytes, value: held, allowed: most) }
        return frame
    }
}
#endif
