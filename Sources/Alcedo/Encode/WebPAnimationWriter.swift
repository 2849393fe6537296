#if os(Linux) && WebP
import Foundation

extension WebPEncoder: AnimationEncoding {
    /// Writes animated WebP; if lossless, decoding returns exactly the same frames.
    ///
    /// Only the rectangle that changed is written for each frame. Delays are rounded to milliseconds in a way that
    /// preserves the total duration. An animation plays at most 65,535 times, and a frame is shown for at most 16,777
    /// seconds; larger values are lowered to these.
    ///
    /// Costs as much as still images of the changed parts, and holds one frame besides the file.
    public func makeWriter(
        size: PixelSize, loopCount: LoopCount
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        try WebPAnimationWriter(self, size, loopCount)
    }
}

/// Writes the chunks of an animated WebP (RFC 9649, section 2.7) around pictures that are encoded one by one.
struct WebPAnimationWriter: AnimationWriting {
    private let encoder: WebPEncoder
    private var checks: FrameChecks
    private var ticks = DelayTicks(of: .milliseconds(1), most: (1 << 24) - 1)
    /// Everything after the header.
    private var chunks = Data()
    private var hasAlpha = false
    private var last: Bitmap?

    init(_ encoder: WebPEncoder, _ size: PixelSize, _ loopCount: LoopCount) throws(ImageLoaderError) {
        checks = try FrameChecks(.webp, size, loopCount, longestSide: WebPEncoder.longestSide, mostPlays: 65_535)
        self.encoder = encoder
    }

    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError) {
        let whole = PixelRectangle(x: 0, y: 0, size: checks.size)
        let (part, still) = try checks.add(frame) {
            [encoder, last] () throws(ImageLoaderError) in
            let part = last.map { frame.bitmap.change(from: $0) ?? .pixel }?.fromEvenPlace ?? whole
            return (part, try encoder.encode(frame.bitmap.part(part)))
        }
        last = frame.bitmap
        hasAlpha = try WebPChunks(scanning: still.span, limits: DecodeLimits()).hasAlpha || hasAlpha
        // After its header, the file consists only of the pixels, preceded by the alpha.
        let picture = still.dropFirst(still.span.has("VP8X", at: 12) ? 30 : 12)
        let place = [part.x / 2, part.y / 2, part.size.width - 1, part.size.height - 1, ticks.next(frame.delay)]
        // Replaces the canvas instead of blending, and isn't cleared.
        let head: [UInt8] = place.flatMap { number($0, 3) } + [2]
        chunks += Array("ANMF".utf8) + number(head.count + picture.count, 4) + head
        chunks += picture
    }

    mutating func finish() throws(ImageLoaderError) -> Data {
        try checks.finish()
        let (width, height) = (number(checks.size.width - 1, 3), number(checks.size.height - 1, 3))
        var head = Array("WEBPVP8X".utf8) + number(10, 4) + [hasAlpha ? 0x12 : 0x02, 0, 0, 0] + width + height
        // A background colour, which all viewers ignore, and the loop count.
        head += Array("ANIM".utf8) + number(6, 4) + [0, 0, 0, 0] + number(checks.plays, 2)
        guard let length = UInt32(exactly: head.count + chunks.count) else {
            throw .encodingFailed(.webp, reason: "more than 4 GiB")
        }
        var file = Data(Array("RIFF".utf8) + number(Int(length), 4) + head)
        file.reserveCapacity(file.count + chunks.count)
        file += chunks
        return file
    }

    private func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
#endif
