#if os(Linux) && WebP
public import Foundation

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
        try WebPAnimationWriter(self, size, loopCount, profile: nil)
    }

    public func makeWriter(
        size: PixelSize, loopCount: LoopCount, profile: Data?
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        let colors = try WrittenColors(profile, room: Self.longestProfile)
        return ConvertingWriter(try WebPAnimationWriter(self, size, loopCount, profile: colors.profile), colors)
    }
}

/// Writes the chunks of an animated WebP (RFC 9649, section 2.7) around frames that are encoded one by one.
struct WebPAnimationWriter: AnimationWriting {
    private let encoder: WebPEncoder
    private var checks: FrameChecks
    private var ticks = DelayTicks(of: .milliseconds(1), most: (1 << 24) - 1)
    private var file: WebPFile
    private var last: Bitmap?

    init(
        _ encoder: WebPEncoder, _ size: PixelSize, _ loopCount: LoopCount, profile: Data?
    ) throws(ImageLoaderError) {
        checks = try FrameChecks(.webp, size, loopCount, longestSide: WebPEncoder.longestSide, mostPlays: 65_535)
        self.encoder = encoder
        file = WebPFile(size: size)
        file.isAnimated = true
        file.profile = profile
        // A background color, which all viewers ignore, and the loop count.
        let content = [0, 0, 0, 0] + WebPFile.number(checks.plays, 2)
        file.chunks += Array("ANIM".utf8) + WebPFile.number(content.count, 4) + content
    }

    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError) {
        let whole = PixelRectangle(x: 0, y: 0, size: checks.size)
        let (part, still) = try checks.add(frame) {
            [encoder, last] () throws(ImageLoaderError) in
            let part = last.map { frame.bitmap.change(from: $0) ?? .pixel }?.fromEvenPlace ?? whole
            return (part, try encoder.encode(frame.bitmap.part(part)))
        }
        last = frame.bitmap
        file.hasAlpha = try WebPFile.hasAlpha(still) || file.hasAlpha
        let picture = WebPFile.picture(in: still)
        let place = [part.x / 2, part.y / 2, part.size.width - 1, part.size.height - 1, ticks.next(frame.delay)]
        // The frame replaces the canvas instead of being blended, and isn't cleared.
        let head: [UInt8] = place.flatMap { WebPFile.number($0, 3) } + [2]
        file.chunks += Array("ANMF".utf8) + WebPFile.number(head.count + picture.count, 4) + head
        file.chunks += picture
    }

    mutating func finish() throws(ImageLoaderError) -> Data {
        try checks.finish()
        return try file.data()
    }
}
#endif
