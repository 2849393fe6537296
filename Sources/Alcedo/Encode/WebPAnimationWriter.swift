#if os(Linux) && WebP
import Foundation

extension WebPEncoder: AnimationEncoding {
    /// Writes animated WebP; without loss, decoding gives back the very same frames. Of each only the rectangle that
    /// has changed is written. Delays are rounded to milliseconds in such a way that the whole lasts as long as it
    /// should.
    ///
    /// Costs as much as a still picture of what has changed, and keeps one frame besides the file.
    public func makeWriter(
        size: PixelSize, loopCount: LoopCount
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        try WebPAnimationWriter(self, size, loopCount)
    }
}

/// Writes the chunks of an animated WebP (RFC 9649, section 2.7) around pictures that are encoded one by one.
struct WebPAnimationWriter: AnimationWriting {
    private let encoder: WebPEncoder
    private let loops: Int
    private var checks: FrameChecks
    private var ticks = DelayTicks(of: .milliseconds(1))
    /// What comes after the head.
    private var chunks = Data()
    private var hasAlpha = false
    private var last: Bitmap?

    init(_ encoder: WebPEncoder, _ size: PixelSize, _ loopCount: LoopCount) throws(ImageLoaderError) {
        checks = try FrameChecks(.webp, size, loopCount, longestSide: WebPEncoder.longestSide, mostLoops: 65_535)
        self.encoder = encoder
        loops = loopCount.plays
    }

    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError) {
        let whole = PixelRectangle(x: 0, y: 0, size: checks.size)
        let (part, still) = try checks.add(frame, longest: Self.longestDelay) {
            [encoder, last] () throws(ImageLoaderError) in
            let part = last.map { frame.bitmap.change(from: $0) ?? .pixel }?.fromEvenPlace ?? whole
            return (part, try encoder.encode(frame.bitmap.part(part)))
        }
        last = frame.bitmap
        hasAlpha = try WebPChunks(scanning: still.span, limits: DecodeLimits()).hasAlpha || hasAlpha
        // The pixels, with the alpha in front, make up all of the file behind its head.
        let picture = still.dropFirst(still.span.has("VP8X", at: 12) ? 30 : 12)
        let place = [part.x / 2, part.y / 2, part.size.width - 1, part.size.height - 1, ticks.next(frame.delay)]
        // Put in place of what is there, and left as it is.
        let head: [UInt8] = place.flatMap { number($0, 3) } + [2]
        chunks += Array("ANMF".utf8) + number(head.count + picture.count, 4) + head
        chunks += picture
    }

    mutating func finish() throws(ImageLoaderError) -> Data {
        try checks.finish()
        let (width, height) = (number(checks.size.width - 1, 3), number(checks.size.height - 1, 3))
        var head = Array("WEBPVP8X".utf8) + number(10, 4) + [hasAlpha ? 0x12 : 0x02, 0, 0, 0] + width + height
        // A background colour that nobody heeds, and how often.
        head += Array("ANIM".utf8) + number(6, 4) + [0, 0, 0, 0] + number(loops, 2)
        guard let length = UInt32(exactly: head.count + chunks.count) else {
            throw .encodingFailed(.webp, reason: "more than 4 GiB")
        }
        var file = Data(Array("RIFF".utf8) + number(Int(length), 4) + head)
        file.reserveCapacity(file.count + chunks.count)
        file += chunks
        return file
    }

    /// One tick less than 24 bits can tell, as rounding may add one.
    private static let longestDelay = Duration.milliseconds((1 << 24) - 2)

    private func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
#endif
