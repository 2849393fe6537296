#if os(Linux) && PNG
public import Foundation

extension PNGEncoder: AnimationEncoding {
    /// Writes lossless animated PNG: decoding returns exactly the same frames.
    ///
    /// Only the rectangle that changed is written for each frame, always with alpha. A delay is stored as the nearest
    /// fraction of seconds whose numbers are below 65,536. An animation plays at most 2,147,483,647 times, and a frame
    /// is shown for at most 65,535 seconds; larger values are lowered to these. Viewers without support for animated
    /// PNG show the first frame.
    ///
    /// Costs as much as still images of the changed parts, and holds one frame besides the file.
    public func makeWriter(
        size: PixelSize, loopCount: LoopCount
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        try APNGWriter(self, size, loopCount, profile: nil)
    }

    public func makeWriter(
        size: PixelSize, loopCount: LoopCount, profile: Data?
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        let colors = try WrittenColors(profile, room: Self.longestProfile)
        return ConvertingWriter(try APNGWriter(self, size, loopCount, profile: colors.profile), colors)
    }
}

/// Writes the chunks of an animated PNG (PNG third edition, section 11.3.6).
struct APNGWriter: AnimationWriting {
    private let encoder: PNGEncoder
    private let profile: Data?
    private var checks: FrameChecks
    private var file = Data()
    private var sequence = 0
    private var last: Bitmap?

    init(_ encoder: PNGEncoder, _ size: PixelSize, _ loopCount: LoopCount, profile: Data?) throws(ImageLoaderError) {
        let most = Int(Int32.max)
        checks = try FrameChecks(.png, size, loopCount, longestSide: most, mostPlays: most)
        if encoder.isExact, checks.plays != loopCount.plays {
            throw .encodingFailed(.png, reason: "shown \(loopCount.plays) times, which is more than \(most)")
        }
        self.encoder = encoder
        self.profile = profile
    }

    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError) {
        let whole = PixelRectangle(x: 0, y: 0, size: checks.size)
        let (part, still) = try checks.add(frame) {
            [encoder, last] () throws(ImageLoaderError) in
            if encoder.isExact, !SecondsFraction(nearest: frame.delay).equals(frame.delay) {
                throw .encodingFailed(.png, reason: "a delay of \(frame.delay), which it can only approximate")
            }
            let part = last.map { frame.bitmap.change(from: $0) ?? .pixel } ?? whole
            let pixels = try frame.bitmap.part(part)
            try encoder.check(pixels)
            return (part, try encoder.compress(pixels, as: .any))
        }
        if last == nil {
            // The signature and the header, and room for values that are only known at the end.
            file += still.prefix(Data.headBytesOfPNG)
            file.appendChunk("acTL", [UInt8](repeating: 0, count: 8))
            if let profile { try appendProfile(profile) }
        }
        last = frame.bitmap
        appendControl(part, frame.delay)
        var pixels: [UInt8] = checks.count == 1 ? [] : Data.bigEndian(sequence)
        Self.appendPixels(of: still, to: &pixels)
        if checks.count > 1 { sequence += 1 }
        file.appendChunk(checks.count == 1 ? "IDAT" : "fdAT", pixels)
    }

    mutating func finish() throws(ImageLoaderError) -> Data {
        try checks.finish()
        file.appendChunk("IEND", [])
        var control = Data()
        control.appendChunk("acTL", Data.bigEndian(checks.count) + Data.bigEndian(checks.plays))
        let start = Data.headBytesOfPNG
        file.replaceSubrange(start..<start + control.count, with: control)
        return file
    }

    private mutating func appendProfile(_ profile: Data) throws(ImageLoaderError) {
        guard let content = PNGProfile.packed(profile) else {
            throw .encodingFailed(.png, reason: "the color profile can't be packed")
        }
        file.appendChunk("iCCP", content)
    }

    private mutating func appendControl(_ part: PixelRectangle, _ delay: Duration) {
        let fraction = SecondsFraction(nearest: delay)
        let numbers = [sequence, part.size.width, part.size.height, part.x, part.y].flatMap(Data.bigEndian)
        let delay = [fraction.numerator, fraction.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        // Dispose: none. Blend: source.
        file.appendChunk("fcTL", numbers + delay + [0, 0])
        sequence += 1
    }

    /// Appends the contents of the pixel chunks.
    private static func appendPixels(of still: Data, to bytes: inout [UInt8]) {
        let file = still.span
        var offset = 8
        while let length = file.long(at: offset), offset + 12 + length <= file.count {
            if file.has("IDAT", at: offset + 4) {
                file.extracting(offset + 8..<offset + 8 + length).withUnsafeBufferPointer { bytes += $0 }
            }
            offset += 12 + length
        }
    }
}
#endif
