#if os(Linux) && WebP
import Foundation

/// The frames of an animated WebP; holds the file.
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
    var byteCount: Int { data.count }
    var file: Data? { data }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading { WebPFrames(self, DecodeCancellation()) }
}

/// Composes the frames of an animated WebP (RFC 9649, section 2.7.2), with straight alpha on one canvas.
///
/// The canvas starts transparent, and cleared areas become transparent: the background colour is a hint that all
/// browsers ignore.
struct WebPFrames: FrameReading {
    private let animation: WebPAnimation
    private let cancellation: DecodeCancellation
    private var canvas: [UInt8] = []
    private var index = 0

    init(_ animation: WebPAnimation, _ cancellation: DecodeCancellation) {
        self.animation = animation
        self.cancellation = cancellation
    }

    mutating func next() throws(ImageLoaderError) -> Bitmap { try nextFrame().bitmap }

    /// Decodes the next frame and returns whether it is opaque.
    mutating func nextFrame() throws(ImageLoaderError) -> (bitmap: Bitmap, isOpaque: Bool) {
        guard animation.frames.indices.contains(index) else {
            throw .corruptImage(.webp, reason: "has no frame \(index + 1)")
        }
        var builder = try BitmapBuilder(size: animation.size, limits: animation.limits)
        if canvas.isEmpty {
            canvas = Array(repeating: 0, count: builder.bytesPerRow * animation.size.height)
        } else if index > 0, animation.frames[index - 1].isCleared {
            clear(animation.frames[index - 1])
        }
        try draw(animation.frames[index])
        index += 1
        builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { $0.copyBytes(from: canvas) }
        }
        let isOpaque = builder.premultiplyUnlessOpaque()
        return (builder.freeze(), isOpaque)
    }

    private var bytesPerRow: Int { animation.size.width * 4 }

    private func place(of frame: WebPFrame) -> Int { frame.y * bytesPerRow + frame.x * 4 }

    private mutating func clear(_ frame: WebPFrame) {
        for row in 0..<frame.size.height {
            let start = place(of: frame) + row * bytesPerRow
            for index in start..<start + frame.size.width * 4 { canvas[index] = 0 }
        }
    }

    /// A frame that replaces the canvas is decoded in place, any other into a separate layer.
    private mutating func draw(_ frame: WebPFrame) throws(ImageLoaderError) {
        if !frame.blends {
            return try decode(frame, to: &canvas, from: place(of: frame), bytesPerRow: bytesPerRow)
        }
        var layer = [UInt8](repeating: 0, count: frame.size.width * frame.size.height * 4)
        try decode(frame, to: &layer, from: 0, bytesPerRow: frame.size.width * 4)
        let start = place(of: frame)
        let (below, above) = (bytesPerRow, frame.size.width * 4)
        canvas.withUnsafeMutableBytes { canvas in
            layer.withUnsafeBytes { layer in
                for row in 0..<frame.size.height {
                    Self.blend(
                        UnsafeRawBufferPointer(rebasing: layer[row * above..<(row + 1) * above]),
                        over: UnsafeMutableRawBufferPointer(
                            rebasing: canvas[start + row * below..<start + row * below + above]))
                }
            }
        }
    }

    private func decode(
        _ frame: WebPFrame, to target: inout [UInt8], from start: Int, bytesPerRow: Int
    ) throws(ImageLoaderError) {
        let outcome = animation.data.withUnsafeBytes { input in
            target.withUnsafeMutableBytes { pixels in
                WebPPixels(UnsafeRawBufferPointer(rebasing: input[frame.picture]), of: frame.size)
                    .decode(
                        to: UnsafeMutableRawBufferPointer(rebasing: pixels[start...]), size: frame.size,
                        bytesPerRow: bytesPerRow, cancellation)
            }
        }
        try outcome.check(frame.size)
    }

    /// Source over destination, both with straight alpha; rounds each channel to nearest.
    private static func blend(_ layer: UnsafeRawBufferPointer, over canvas: UnsafeMutableRawBufferPointer) {
        for pixel in stride(from: 0, to: layer.count, by: 4) {
            let alpha = UInt32(layer[pixel + 3])
            if alpha == 255 {
                canvas.storeBytes(
                    of: layer.loadUnaligned(fromByteOffset: pixel, as: UInt32.self), toByteOffset: pixel,
                    as: UInt32.self)
            } else if alpha > 0 {
                // Both in units of 1/255², so that nothing is rounded before the end.
                let (above, below) = (alpha * 255, UInt32(canvas[pixel + 3]) * (255 - alpha))
                let sum = above + below
                for channel in pixel..<pixel + 3 {
                    let colour = UInt32(layer[channel]) * above + UInt32(canvas[channel]) * below
                    canvas[channel] = UInt8(truncatingIfNeeded: (colour + sum / 2) / sum)
                }
                canvas[pixel + 3] = UInt8(truncatingIfNeeded: (sum + 127) / 255)
            }
        }
    }
}
#endif
