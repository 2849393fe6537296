/// A box of an ISO media file (ISO/IEC 14496-12, section 4.2), the structure of HEIF, AVIF and JPEG XL.
struct MediaBox {
    /// The offset of the type, which has four characters.
    let type: Int
    let content: Range<Int>

    /// The maximum number of boxes at one level; more are ignored. Files have a few, plus one for each tile of an
    /// image.
    private static let mostBoxes = 5_000

    /// The boxes in a range of the bytes, up to the first one that doesn't fit.
    static func boxes(in bytes: Span<UInt8>, _ range: Range<Int>) -> [MediaBox] {
        var boxes: [MediaBox] = []
        var offset = range.lowerBound
        while boxes.count < mostBoxes, range.upperBound - offset >= 8, let claimed = bytes.long(at: offset) {
            var (length, head) = (claimed, 8)
            if claimed == 1 {
                // A length of eight bytes follows. No file needs the upper half.
                guard bytes.long(at: offset + 8) == 0, let long = bytes.long(at: offset + 12) else { break }
                (length, head) = (long, 16)
            } else if claimed == 0 {
                length = range.upperBound - offset
            }
            guard length >= head, length <= range.upperBound - offset else { break }
            boxes.append(MediaBox(type: offset + 4, content: offset + head..<offset + length))
            offset += length
        }
        return boxes
    }

    /// The first box of a type.
    static func first(_ type: StaticString, in bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        boxes(in: bytes, range).first { bytes.has(type, at: $0.type) }?.content
    }
}
