#if os(Linux) && PNG || canImport(ImageIO)
import Foundation

/// The locations and properties of the frames of an animated PNG (PNG third edition, section 11.3.6).
struct APNGIndex: Sendable {
    struct Frame: Sendable {
        var placement: AnimationCanvas.Placement
        var delay: Duration
        /// The byte ranges of the compressed pixels, without sequence numbers.
        var parts: [Range<Int>] = []

        var size: PixelSize { placement.size }
    }

    let size: PixelSize
    /// The number of times that the animation plays; 0 for an endless loop.
    private(set) var plays = 0
    /// All frames, or only the first and the last one if the file announces more than the limit allows.
    private(set) var frames: [Frame] = []
    /// The number of frames.
    private(set) var count = 0
    /// Whether the first frame's pixels are those of the still image.
    private(set) var beginsWithStill = false
    /// The header chunk without its CRC, and the complete chunks that all frames share.
    private var head: Range<Int> = 0..<0
    private var shared: [Range<Int>] = []

    private let limit: Int
    private var claimed: Int?
    private var sequence = 0
    private var sawPixels = false
    /// Whether the file has its end chunk. Without it, the pixels of the last frame may be incomplete.
    private(set) var sawEnd = false

    /// Returns nil if there are no frames, if their number differs from the announced one, or if chunks are damaged,
    /// out of order or outside the canvas.
    ///
    /// - Parameter limit: The maximum number of frames to keep.
    init?(scanning bytes: Span<UInt8>, size: PixelSize, limit: Int) {
        self.size = size
        self.limit = limit
        guard scan(bytes), let claimed, claimed == count, let last = frames.last, !last.parts.isEmpty else {
            return nil
        }
    }

    /// Finds the frames up to the first damaged chunk; the last frame may be incomplete. Returns nil if there are no
    /// frames, or if there may be more than `limit`.
    init?(upToDamageIn bytes: Span<UInt8>, size: PixelSize, limit: Int) {
        self.size = size
        self.limit = limit
        _ = scan(bytes)
        // Forces a check of the last frame.
        sawEnd = false
        if frames.last?.parts.isEmpty == true { removeLastFrame() }
        guard claimed ?? 0 <= limit, count > 0 else { return nil }
    }

    mutating func removeLastFrame() {
        frames.removeLast()
        count -= 1
    }

    /// Reads the chunks up to the end, and returns whether all of them are valid.
    private mutating func scan(_ bytes: Span<UInt8>) -> Bool {
        var offset = 8
        while !sawEnd, let length = bytes.long(at: offset), offset + 12 + length <= bytes.count {
            guard take(offset + 8..<offset + 8 + length, bytes) else { return false }
            offset += 12 + length
        }
        return true
    }

    /// Reads a chunk. Returns false if it is damaged or not allowed at its position.
    private mutating func take(_ content: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        let type = content.lowerBound - 4
        if bytes.has("IDAT", at: type) { return takePixels(content) }
        if bytes.has("fdAT", at: type) { return takeFramePixels(content, bytes) }
        if bytes.has("fcTL", at: type) { return Self.isIntact(content, bytes) && takeControl(content, bytes) }
        if bytes.has("acTL", at: type) {
            guard Self.isIntact(content, bytes), content.count == 8, claimed == nil, !sawPixels else { return false }
            claimed = bytes.long(at: content.lowerBound)
            plays = bytes.long(at: content.lowerBound + 4) ?? 0
        } else if bytes.has("IHDR", at: type) {
            guard content.count == 13, head.isEmpty else { return false }
            head = type..<content.upperBound
        } else if bytes.has("PLTE", at: type) || bytes.has("tRNS", at: type) {
            if !sawPixels { shared.append(type - 4..<content.upperBound + 4) }
        } else if bytes.has("IEND", at: type) {
            sawEnd = true
        }
        return true
    }

    private mutating func takePixels(_ content: Range<Int>) -> Bool {
        if !sawPixels { beginsWithStill = !frames.isEmpty }
        sawPixels = true
        guard beginsWithStill else { return frames.isEmpty }
        guard count == 1 else { return false }
        frames[0].parts.append(content)
        return true
    }

    private mutating func takeFramePixels(_ content: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard sawPixels, !frames.isEmpty, !(beginsWithStill && count == 1), content.count >= 4,
            bytes.long(at: content.lowerBound) == sequence, Self.isIntact(content, bytes)
        else { return false }
        sequence += 1
        frames[frames.count - 1].parts.append(content.lowerBound + 4..<content.upperBound)
        return true
    }

    private mutating func takeControl(_ content: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        // Sequence, width, height, x, y (4 bytes each), delay numerator and denominator (2 each), disposal, blend.
        let start = content.lowerBound
        // Fails before storing more frames than the file announced.
        guard count < claimed ?? 1, content.count == 26, bytes.long(at: start) == sequence,
            frames.last?.parts.isEmpty != true,
            let width = bytes.long(at: start + 4), let height = bytes.long(at: start + 8),
            let x = bytes.long(at: start + 12), let y = bytes.long(at: start + 16),
            width > 0, height > 0, x + width <= size.width, y + height <= size.height,
            let numerator = bytes.word(at: start + 20), let denominator = bytes.word(at: start + 22),
            var disposal = bytes.byte(at: start + 24).flatMap(AnimationCanvas.Disposal.init),
            let blend = bytes.byte(at: start + 25).flatMap(AnimationCanvas.Blend.init)
        else { return false }
        let frameSize = PixelSize(width: width, height: height)
        // The still image is as large as the canvas.
        guard sawPixels || frameSize == size else { return false }
        // Before the first frame there is nothing to restore.
        if frames.isEmpty, disposal == .previous { disposal = .background }
        sequence += 1
        count += 1
        if frames.count > 1, claimed ?? 0 > limit { frames.removeLast() }
        let nanoseconds = numerator * 1_000_000_000 / (denominator == 0 ? 100 : denominator)
        frames.append(
            Frame(
                placement: .init(x: x, y: y, size: frameSize, disposal: disposal, blend: blend),
                delay: .nanoseconds(nanoseconds)))
        return true
    }

    /// A PNG with only `frame`, which any decoder can read.
    func file(of frame: Frame, in data: Data) -> Data {
        var file = Data(Data.signatureOfPNG)
        let size = [frame.size.width, frame.size.height].flatMap(Data.bigEndian)
        file.appendChunk("IHDR", size + data.part(head).dropFirst(4 + 8))
        for chunk in shared { file += data.part(chunk) }
        for part in frame.parts { file.appendChunk("IDAT", data.part(part)) }
        file.appendChunk("IEND", [])
        return file
    }

    /// Whether the checksum of the chunk's type and content is correct.
    private static func isIntact(_ content: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        let chunk = bytes.extracting(content.lowerBound - 4..<content.upperBound)
        return bytes.long(at: content.upperBound) == Data.checksum(chunk)
    }
}
#endif
