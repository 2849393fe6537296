#if GIF || canImport(Darwin)
import Foundation

/// A GIF with several images: its bytes, and the metadata in its blocks.
struct GIFAnimation: AnimationReading {
    let data: Data
    let blocks: GIFBlocks
    let limits: DecodeLimits

    var size: PixelSize { blocks.size }
    var delays: [Duration] { blocks.frames.map { .milliseconds(Int($0.delay) * 10) } }
    var loopCount: LoopCount { blocks.loopCount }
    var file: Data? { data }

    func makeFrames() -> sending any FrameReading { GIFFrames(self, DecodeCancellation()) }
}

/// Decodes the frames of a GIF, starting from a transparent canvas.
///
/// No canvas is kept besides the returned frames: each frame is drawn on a copy of an earlier one, and restoring means
/// drawing on the frame before the removed one.
struct GIFFrames: FrameReading {
    private let animation: GIFAnimation
    private let cancellation: DecodeCancellation
    private let showsPart: Bool
    /// Whether pixels of the first frame are missing.
    private(set) var isPart = false
    private var index = 0
    /// The frame that the next image is drawn on, and the image whose area is cleared on it first.
    private var ground: Bitmap?
    private var cleared: GIFFrame?

    /// - Parameter showsPart: Whether the first frame may lack pixels, provided that it has some.
    init(_ animation: GIFAnimation, _ cancellation: DecodeCancellation, showsPart: Bool = false) {
        self.animation = animation
        self.cancellation = cancellation
        self.showsPart = showsPart
    }

    mutating func next() throws(ImageLoaderError) -> Bitmap {
        let (blocks, limits) = (animation.blocks, animation.limits)
        guard blocks.frames.indices.contains(index) else {
            throw .corruptImage(.gif, reason: blocks.damage ?? "no image")
        }
        let frame = blocks.frames[index]
        let indexBits = animation.data.span.byte(at: frame.dataOffset) ?? 0
        let needsGround = !frame.covers(blocks.size, indexBits: indexBits)
        // The memory needn't be cleared if it is overwritten by a ground, which always covers the canvas, or by a frame
        // that covers it.
        var builder =
            needsGround && ground == nil || showsPart
            ? try BitmapBuilder(size: size, limits: limits) : try BitmapBuilder(unwritten: size, limits: limits)
        try builder.withUnsafeMutableBytes { (bytes) throws(ImageLoaderError) in
            let pixels = bytes.bindMemory(to: UInt32.self)
            if needsGround { layGround(on: pixels) }
            isPart = try !draw(frame, on: pixels)
        }
        builder.wrote(rows: size.height)
        let bitmap = builder.freeze()
        if frame.disposal != .restore {
            ground = bitmap
            cleared = frame.disposal == .clear ? frame : nil
        }
        index += 1
        return bitmap
    }

    private func layGround(on pixels: UnsafeMutableBufferPointer<UInt32>) {
        ground?.withUnsafeBytes { UnsafeMutableRawBufferPointer(pixels).copyMemory(from: $0) }
        guard let cleared else { return }
        let (left, top) = (Int(cleared.left), Int(cleared.top))
        for y in (top..<top + Int(cleared.height)).clamped(to: 0..<size.height) {
            for x in (left..<left + Int(cleared.width)).clamped(to: 0..<size.width) { pixels[y * size.width + x] = 0 }
        }
    }

    private var size: PixelSize { animation.size }

    /// Returns whether all pixels were drawn.
    private func draw(
        _ frame: GIFFrame, on pixels: UnsafeMutableBufferPointer<UInt32>
    ) throws(ImageLoaderError) -> Bool {
        let data = animation.data
        var painter = GIFPainter(frame, on: size, palette: data.span)
        // Makes a new unpacker for each frame: if many animations play, a kept one would have left the processor's
        // caches by the next frame.
        var unpacker = GIFUnpacker()
        unpacker.start(data.span, at: frame.dataOffset)
        while painter.missing > 0 {
            try cancellation.check()
            do throws(ImageLoaderError) {
                try unpacker.advance(data.bytes, wanted: painter.missing)
            } catch {
                if showsPart, index == 0, painter.missing < frame.size.width * frame.size.height { return false }
                throw error
            }
            unpacker.withFresh { painter.paint($0, on: pixels) }
        }
        return true
    }
}
#endif
