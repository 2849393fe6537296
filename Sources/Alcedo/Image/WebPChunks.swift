import Foundation

/// The metadata in the chunks of a WebP (RFC 9649, section 2).
struct WebPChunks {
    /// The size of the image, or of an animation's canvas.
    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var hasAlpha = false
    private(set) var isAnimated = false
    /// Whether the image is lossless (VP8L), which the codec can't read without holding all pixels in memory.
    private(set) var isLossless = false
    private(set) var orientation = Orientation.up
    /// The byte range of the ICC color profile.
    private(set) var profile: Range<Int>?
    /// Empty unless the file is animated.
    private(set) var frames: [WebPFrame] = []
    private(set) var loopCount = LoopCount.forever
    /// Whether the file is as long as it claims.
    let isWhole: Bool
    /// Whether the scan has reached a chunk with pixels.
    private(set) var hasPicture = false
    /// Whether the file claims to have an EXIF block, which may follow the pixels, but none was found.
    private(set) var lacksOrientation = false

    /// - Parameter isPart: whether more bytes will follow, so that a truncated chunk is read as far as possible.
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)`` for an invalid header, and
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` for too much metadata or too many frames. The size isn't
    ///   checked against the limits.
    init(scanning bytes: Span<UInt8>, isPart: Bool = false, limits: DecodeLimits) throws(ImageLoaderError) {
        guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8), let length = bytes.littleLong(at: 4) else {
            throw .corruptImage(.webp, reason: "no signature")
        }
        isWhole = length + 8 <= bytes.count
        let file = bytes.extracting(0..<min(bytes.count, length + 8))
        if file.has("VP8X", at: 12) {
            let end = try readExtended(file, limits)
            if isPart, !hasPicture {
                let isAlpha = file.has("ALPH", at: end)
                hasPicture = isAlpha ? true : try readPicture(file, at: end, isWholeFile: false)
            }
        } else if try !readPicture(file, at: 12, isWholeFile: true) {
            throw .corruptImage(.webp, reason: "does not begin with an image")
        } else {
            hasPicture = true
        }
        guard size.width > 0, size.height > 0 else {
            throw .corruptImage(.webp, reason: "\(size.width) × \(size.height) pixels")
        }
    }

    /// Reads the header of the bit stream if the chunk at `offset` contains pixels. Returns whether it does.
    private mutating func readPicture(
        _ bytes: Span<UInt8>, at offset: Int, isWholeFile: Bool
    ) throws(ImageLoaderError) -> Bool {
        if bytes.has("VP8L", at: offset) {
            guard bytes.byte(at: offset + 8) == 0x2F, let bits = bytes.littleLong(at: offset + 9) else {
                throw .corruptImage(.webp, reason: "a lossless image without a whole head")
            }
            if isWholeFile { size = PixelSize(width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1) }
            hasAlpha = hasAlpha || bits >> 28 & 1 == 1
            isLossless = true
            return true
        }
        guard bytes.has("VP8 ", at: offset) else { return false }
        guard let tag = bytes.byte(at: offset + 8), tag & 1 == 0, bytes.has("\u{1}*", at: offset + 12),
            bytes.byte(at: offset + 11) == 0x9D,
            let width = bytes.littleWord(at: offset + 14), let height = bytes.littleWord(at: offset + 16)
        else { throw .corruptImage(.webp, reason: "an image without a whole head") }
        // The two bits above are a scaling hint, which all viewers ignore.
        if isWholeFile { size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF) }
        return true
    }

    /// Reads the flags, the canvas, and the chunks that follow. Returns the offset of the first truncated chunk.
    private mutating func readExtended(_ bytes: Span<UInt8>, _ limits: DecodeLimits) throws(ImageLoaderError) -> Int {
        guard let length = bytes.littleLong(at: 16), let flags = bytes.byte(at: 20),
            let width = bytes.littleTriple(at: 24), let height = bytes.littleTriple(at: 27)
        else { throw .corruptImage(.webp, reason: "does not begin with a whole image header") }
        size = PixelSize(width: width + 1, height: height + 1)
        isAnimated = flags & 0x02 != 0
        hasAlpha = flags & 0x10 != 0
        var offset = 20 + length + (length & 1)
        var hasOrientation = flags & 0x08 == 0
        if isAnimated {
            // Counted before any frame is stored: thousands of them take more memory than the file.
            try limits.check(animation: size, frames: Self.frameCount(bytes, from: offset))
        }
        // Chunks that are cut off at the end of the file aren't read.
        while let length = bytes.littleLong(at: offset + 4), length <= bytes.count - offset - 8 {
            let content = offset + 8..<offset + 8 + length
            if flags & 0x20 != 0, profile == nil, bytes.has("ICCP", at: offset) {
                try limits.check(metadataBytes: length)
                profile = content
            } else if !hasOrientation, bytes.has("EXIF", at: offset) {
                try limits.check(metadataBytes: length)
                orientation = Self.orientation(in: bytes.extracting(content))
                hasOrientation = true
            } else if isAnimated {
                try readAnimation(bytes, at: offset, content, limits)
            } else if bytes.has("ALPH", at: offset) {
                hasAlpha = true
                hasPicture = true
            } else if try readPicture(bytes, at: offset, isWholeFile: false) {
                hasPicture = true
            }
            offset = content.upperBound + (length & 1)
        }
        lacksOrientation = !hasOrientation
        return offset
    }

    /// Some encoders write the marker of JPEG's EXIF segment in front of the block.
    private static func orientation(in block: Span<UInt8>) -> Orientation {
        Orientation(exif: block.has("Exif\0\0", at: 0) ? block.extracting(6..<block.count) : block)
    }

    private mutating func readAnimation(
        _ bytes: Span<UInt8>, at offset: Int, _ content: Range<Int>, _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        if bytes.has("ANIM", at: offset), content.count >= 6, let count = bytes.littleWord(at: offset + 12) {
            loopCount = LoopCount(plays: count)
        } else if bytes.has("ANMF", at: offset) {
            guard let frame = WebPFrame(bytes, content), frame.x + frame.size.width <= size.width,
                frame.y + frame.size.height <= size.height
            else { throw .corruptImage(.webp, reason: "frame \(frames.count + 1) is none, or leaves the image") }
            frames.append(frame)
        }
    }

    private static func frameCount(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var (offset, count) = (start, 0)
        while let length = bytes.littleLong(at: offset + 4), length <= bytes.count - offset - 8 {
            if bytes.has("ANMF", at: offset) { count += 1 }
            offset += 8 + length + (length & 1)
        }
        return count
    }
}

/// One frame of an animated WebP (RFC 9649, section 2.7.1.1).
struct WebPFrame: Hashable {
    /// The frame's position on the canvas.
    let x: Int
    let y: Int
    let size: PixelSize
    let delay: Duration
    /// Whether the frame is blended over the canvas instead of replacing it.
    let blends: Bool
    /// Whether the frame's area is cleared after it has been shown.
    let isCleared: Bool
    /// The byte range of the frame's pixels in the file, including a preceding alpha chunk.
    let picture: Range<Int>

    /// Returns nil when the chunk's content holds no pixels.
    fileprivate init?(_ bytes: Span<UInt8>, _ content: Range<Int>) {
        let start = content.lowerBound
        guard content.count >= 16, let x = bytes.littleTriple(at: start), let y = bytes.littleTriple(at: start + 3),
            let width = bytes.littleTriple(at: start + 6), let height = bytes.littleTriple(at: start + 9),
            let delay = bytes.littleTriple(at: start + 12), let flags = bytes.byte(at: start + 15)
        else { return nil }
        (self.x, self.y) = (x * 2, y * 2)
        size = PixelSize(width: width + 1, height: height + 1)
        self.delay = .milliseconds(delay)
        blends = flags & 2 == 0
        isCleared = flags & 1 == 1
        var offset = start + 16
        while let length = bytes.littleLong(at: offset + 4), offset + 8 + length <= content.upperBound {
            if bytes.has("ALPH", at: offset) || bytes.has("VP8 ", at: offset) || bytes.has("VP8L", at: offset) {
                picture = offset..<content.upperBound
                return
            }
            offset += 8 + length + (length & 1)
        }
        return nil
    }
}

extension ImageHeader {
    /// Reads the header of a WebP and the lengths of its chunks.
    init(webP data: Data, limits: DecodeLimits) throws(ImageLoaderError) {
        self.init(try WebPChunks(scanning: data.span, limits: limits))
        try limits.check(size)
        if frameCount != 1 { try limits.check(animation: size, frames: 0) }
    }

    init(_ chunks: WebPChunks) {
        self.init(format: .webp, size: chunks.size, orientation: chunks.orientation)
        hasAlpha = chunks.hasAlpha
        bitsPerSample = 8
        frameCount = chunks.isAnimated ? (chunks.isWhole ? chunks.frames.count : nil) : 1
        profileBytes = chunks.profile?.count
        needsAllPixels = chunks.isLossless || chunks.isAnimated || chunks.hasAlpha
    }
}
