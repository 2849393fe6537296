#if os(Linux) && PNG
import Foundation

/// The frames of an animated PNG, located by its chunks.
struct APNGAnimation: AnimationReading {
    let size: PixelSize
    fileprivate let data: Data
    fileprivate var index: APNGIndex
    fileprivate let limits: DecodeLimits
    /// The mapping of HDR frames to sRGB; nil if the frames aren't HDR.
    var toneMapping: ToneMapping?

    /// Returns nil when the animation chunks are invalid: the file is then a still image.
    init?(_ data: Data, size: PixelSize, limits: DecodeLimits) {
        guard let index = APNGIndex(scanning: data.span, size: size, limit: limits.frames) else { return nil }
        self.size = size
        self.data = data
        self.index = index
        self.limits = limits
    }

    /// Finds the frames before the first damaged one; returns nil if there are none.
    init?(upToDamageIn data: Data, size: PixelSize, limits: DecodeLimits) throws(ImageLoaderError) {
        guard let index = APNGIndex(upToDamageIn: data.span, size: size, limit: limits.frames) else { return nil }
        self.size = size
        self.data = data
        self.index = index
        self.limits = limits
        if try !hasLastFrame() { self.index.removeLastFrame() }
        if self.index.count == 0 { return nil }
    }

    /// The number of frames, which may exceed the limit.
    var frameCount: Int { index.count }
    var delays: [Duration] { index.frames.map(\.delay) }
    var loopCount: LoopCount { LoopCount(plays: index.plays) }
    var file: Data? { data }

    /// Whether the still image that other viewers show is also the first frame.
    var beginsWithStill: Bool { index.beginsWithStill }
    /// Whether the first frame covers the whole canvas.
    var coversCanvas: Bool { index.frames.first?.size == size }

    /// Whether the last frame is complete, like the others. Decodes the frame if the file is cut short.
    func hasLastFrame() throws(ImageLoaderError) -> Bool {
        guard !index.sawEnd, let frame = index.frames.last else { return true }
        var builder = try BitmapBuilder(size: frame.size, limits: limits)
        let file = index.file(of: frame, in: data)
        do throws(ImageLoaderError) {
            try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
                try file.span.withUnsafeBytes { (file) throws(ImageLoaderError) in
                    try PNGDecode(file, frame.size, nil).readAll(into: pixels, premultiplies: false, nil)
                }
            }
            return true
        } catch {
            return false
        }
    }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading { frames() }

    func frames() -> APNGFrames { APNGFrames(self) }
}

/// Decodes the frames of an animated PNG.
struct APNGFrames: FrameReading {
    private let animation: APNGAnimation
    private var canvas: AnimationCanvas
    private var number = 0

    fileprivate init(_ animation: APNGAnimation) {
        self.animation = animation
        canvas = AnimationCanvas(size: animation.size)
    }

    mutating func next() throws(ImageLoaderError) -> Bitmap {
        let index = animation.index
        guard number < index.frames.count else { throw .corruptImage(.png, reason: "has no more frames") }
        // Checks the canvas size against the limits before the canvas is allocated.
        var builder = try BitmapBuilder(size: index.size, limits: animation.limits)
        let frame = index.frames[number]
        let file = index.file(of: frame, in: animation.data)
        try canvas.draw(frame.placement) { (target, bytesPerRow) throws(ImageLoaderError) in
            try file.span.withUnsafeBytes { (file) throws(ImageLoaderError) in
                let decode = try PNGDecode(file, frame.size, animation.toneMapping)
                try decode.readAll(into: target, bytesPerRow: bytesPerRow, premultiplies: false, nil)
            }
        }
        number += 1
        canvas.copy(to: &builder)
        builder.premultiply()
        return builder.freeze()
    }
}
#endif
