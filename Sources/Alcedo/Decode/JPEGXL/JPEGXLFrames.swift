#if os(Linux) && JPEGXL
import Foundation

/// All frames of a codestream. Their heads are read before the codec sees them, because the codec ends the process when
/// memory runs out, and a frame may claim to be larger than the image.
struct JPEGXLFrames {
    /// The durations of the frames that the file shows, in units of the file.
    private(set) var durations: [Int] = []
    /// Whether the head of at least one frame is complete.
    private(set) var hasFrame = false
    /// The offset of the first frame whose head is incomplete; `Int.max` if all heads are complete.
    private(set) var readableEnd = 0
    /// Whether the last frame ends within the codestream.
    private(set) var isWhole = false
    /// The maximum number of bytes that the codec keeps at a time for references between frames.
    private(set) var keptBytes = 0

    /// The frames of a codestream that hasn't been read yet.
    init() {}

    /// - Parameters:
    ///   - offset: The offset of the first frame.
    ///   - preview: The size of the image that precedes the others.
    /// - Throws: If a frame, or all hidden frames together, exceed a limit.
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
        var hidden = (count: 0, pixels: 0)
        var kept = [0, 0, 0, 0]
        while let frame = try Self.frame(codestream, start, picture, limits) {
            let pixels = frame.size.width * frame.size.height
            if frame.isShown {
                durations.append(frame.duration)
            } else {
                hidden = (hidden.count + 1, hidden.pixels.plus(pixels))
            }
            if let place = frame.place { kept[place] = Self.heldBytes(pixels, picture) }
            keptBytes = max(keptBytes, kept.reduce(0) { $0.plus($1) })
            try check(hidden, limits)
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

    private func check(_ hidden: (count: Int, pixels: Int), _ limits: DecodeLimits) throws(ImageLoaderError) {
        guard hidden.pixels <= limits.pixels else {
            throw .limitExceeded(.imagePixels, value: hidden.pixels, allowed: limits.pixels)
        }
        // A shown frame needs few hidden ones: frames that it refers to, and frames with less resolution.
        let most = max(64, limits.frames.multiplied(by: 4))
        guard hidden.count <= most else { throw .limitExceeded(.frames, value: hidden.count, allowed: most) }
        try Self.check(keptBytes, 8, limits)
        try limits.check(frames: durations.count)
    }

    /// Checks that the codec holds no more memory than `bitmaps` bitmaps may take.
    private static func check(
        _ heldBytes: Int, _ bitmaps: Int, _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        let most = limits.bitmapBytes.multiplied(by: bitmaps)
        guard heldBytes <= most else { throw .limitExceeded(.bitmapBytes, value: heldBytes, allowed: most) }
    }

    /// The codec's memory for `pixels` pixels, four bytes for each sample.
    static func heldBytes(_ pixels: Int, _ picture: JPEGXLFrame.Picture) -> Int {
        pixels.multiplied(by: 4 * (3 + picture.extraChannels))
    }

    /// Reads a frame's head; returns nil if it is incomplete.
    private static func frame(
        _ codestream: Data, _ start: Int, _ picture: JPEGXLFrame.Picture, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> JPEGXLFrame? {
        guard start < codestream.count else { return nil }
        var bits = JPEGXLBits(codestream, at: start)
        let frame = try JPEGXLFrame(&bits, of: picture, limits)
        if bits.isPastEnd { return nil }
        try check(heldBytes(frame.size.width * frame.size.height, picture), 4, limits)
        return frame
    }
}
#endif
