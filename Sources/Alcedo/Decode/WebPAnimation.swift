#if os(Linux) && WebP
import Foundation

/// The frames of an animated WebP. Holds the file's bytes.
struct WebPAnimation: AnimationReading {
    fileprivate let data: Data
    fileprivate let frames: [WebPFrame]
    fileprivate let limits: DecodeLimits
    let size: PixelSize
    let loopCount: LoopCount

    init(_ data: Data, _ chunks: WebPChunks, _ limits: DecodeLimits) {
        self.data = data
        self.limits = limits
        frames = chunks.frames
        size = chunks.size
        loopCount = chunks.loopCount
    }

    var delays: [Duration] { frames.map(\.delay) }
    var file: Data? { data }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading { WebPFrames(self, DecodeCancellation()) }
}

/// Composes the frames of an animated WebP (RFC 9649, section 2.7.2).
///
/// Cleared areas become transparent: the background color is a hint that all browsers ignore.
struct WebPFrames: FrameReading {
    private let animation: WebPAnimation
    private let cancellation: DecodeCancellation
    private var canvas: AnimationCanvas
    private var index = 0

    init(_ animation: WebPAnimation, _ cancellation: DecodeCancellation) {
        self.animation = animation
        self.cancellation = cancellation
        canvas = AnimationCanvas(size: animation.size)
    }

    mutating func next() throws(ImageLoaderError) -> Bitmap { try nextFrame().bitmap }

    /// Decodes the next frame and returns whether it is opaque.
    mutating func nextFrame() throws(ImageLoaderError) -> (bitmap: Bitmap, isOpaque: Bool) {
        guard animation.frames.indices.contains(index) else {
            throw .corruptImage(.webp, reason: "has no frame \(index + 1)")
        }
        // Checks the canvas size against the limits before the canvas is allocated.
        var builder = try BitmapBuilder(size: animation.size, limits: animation.limits)
        let (data, frame) = (animation.data, animation.frames[index])
        let picture = data.bytes.extracting(frame.picture)
        try canvas.draw(frame.placement) { [cancellation] (target, bytesPerRow) throws(ImageLoaderError) in
            try picture.withUnsafeBytes { (picture) throws(ImageLoaderError) in
                try WebPPixels.decode(
                    picture, of: frame.size, to: target, size: frame.size, bytesPerRow: bytesPerRow, cancellation)
            }
        }
        index += 1
        canvas.copy(to: &builder)
        let isOpaque = builder.premultiplyUnlessOpaque()
        return (builder.freeze(), isOpaque)
    }
}

extension WebPFrame {
    fileprivate var placement: AnimationCanvas.Placement {
        .init(x: x, y: y, size: size, disposal: isCleared ? .background : .none, blend: blends ? .over : .source)
    }
}
#endif
