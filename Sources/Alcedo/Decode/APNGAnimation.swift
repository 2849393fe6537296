#if os(Linux) && PNG
import Foundation

/// The frames of an animated PNG, located by its chunks.
struct APNGAnimation: AnimationReading {
    let size: PixelSize
    private let data: Data
    private let index: APNGIndex
    private let limits: DecodeLimits

    /// Returns nil when the animation chunks are invalid: the file is then a still picture.
    init?(_ data: Data, size: PixelSize, limits: DecodeLimits) {
        guard let index = APNGIndex(scanning: data.span, size: size, limit: limits.frames) else { return nil }
        self.size = size
        self.data = data
        self.index = index
        self.limits = limits
    }

    /// The number of frames, which may exceed the limit.
    var frameCount: Int { index.count }
    var delays: [Duration] { index.frames.map(\.delay) }
    var loopCount: LoopCount { LoopCount(plays: index.plays) }
    var byteCount: Int { data.count }
    var file: Data? { data }

    /// Whether the still picture that other viewers show is also the first frame.
    var beginsWithStill: Bool { index.beginsWithStill }
    /// Whether the first frame covers the whole canvas.
    var coversCanvas: Bool { index.frames.first?.size == size }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading { frames() }

    func frames() -> APNGFrames { APNGFrames(data, index, limits) }
}

/// Decodes the frames of an animated PNG.
struct APNGFrames: FrameReading {
    private let data: Data
    private let index: APNGIndex
    private let limits: DecodeLimits
    private var canvas: APNGCanvas?
    private var number = 0

    init(_ data: Data, _ index: APNGIndex, _ limits: DecodeLimits) {
        self.data = data
        self.index = index
        self.limits = limits
    }

    mutating func next() throws(ImageLoaderError) -> Bitmap {
        guard number < index.frames.count else { throw .corruptImage(.png, reason: "has no more frames") }
        // Checks the canvas size against the limits before the canvas is allocated.
        var builder = try BitmapBuilder(size: index.size, limits: limits)
        let frame = index.frames[number]
        let pixels = try Self.pixels(of: frame, index.file(of: frame, in: data.span))
        if canvas == nil { canvas = APNGCanvas(size: index.size) }
        canvas?.show(frame.placement, pixels)
        number += 1
        canvas?.copy(to: &builder)
        builder.premultiply()
        return builder.freeze()
    }

    /// The frame alone, with straight alpha.
    private static func pixels(of frame: APNGIndex.Frame, _ file: [UInt8]) throws(ImageLoaderError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: frame.size.width * frame.size.height * 4)
        var span = pixels.mutableSpan
        try span.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try file.span.withUnsafeBytes { (file) throws(ImageLoaderError) in
                let decode = try PNGDecode(file, frame.size)
                try decode.readAll(into: pixels, premultiplies: false, nil)
            }
        }
        return pixels
    }
}
#endif
