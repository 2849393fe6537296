import Foundation

/// Where the contents of a HEIF's items are (ISO/IEC 14496-12, section 8.11.3).
struct ItemLocations {
    private let box: Range<Int>
    /// The content of the box for items that are stored within the metadata.
    private let inner: Range<Int>?

    /// Pieces of one item. Metadata is in one piece.
    private static let mostExtents = 100

    init(_ bytes: Span<UInt8>, _ meta: Range<Int>) {
        box = MediaBox.first("iloc", in: bytes, meta) ?? 0..<0
        inner = MediaBox.first("idat", in: bytes, meta)
    }

    /// The bytes of an item, joined from its pieces. Nil if they aren't all there, or are too many.
    func content(of item: Int, _ data: Data, _ limits: DecodeLimits) -> Data? {
        let bytes = data.span
        guard let pieces = pieces(of: item, bytes) else { return nil }
        guard pieces.count != 1 else { return pieces[0].count <= limits.metadataBytes ? data.part(pieces[0]) : nil }
        var content = Data()
        for piece in pieces {
            guard piece.count <= limits.metadataBytes - content.count else { return nil }
            content += data.part(piece)
        }
        return content
    }

    /// The byte ranges of an item in the file.
    private func pieces(of item: Int, _ bytes: Span<UInt8>) -> [Range<Int>]? {
        guard box.count > 8, let version = bytes.byte(at: box.lowerBound), version <= 2,
            let sizes = bytes.word(at: box.lowerBound + 4)
        else { return nil }
        var reader = ItemLocationReader(offset: box.lowerBound + 6, end: box.upperBound)
        let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexSize = version == 0 ? 0 : sizes & 15
        guard let count = reader.number(version == 2 ? 4 : 2, bytes) else { return nil }
        for _ in 0..<count {
            guard let number = reader.number(version == 2 ? 4 : 2, bytes),
                let method = version == 0 ? 0 : reader.number(2, bytes), reader.number(2, bytes) != nil,
                let base = reader.number(baseSize, bytes), let extents = reader.number(2, bytes)
            else { return nil }
            guard number == item else {
                guard reader.skip(extents * (indexSize + offsetSize + lengthSize)) else { return nil }
                continue
            }
            guard extents <= Self.mostExtents,
                let area = method & 15 == 0 ? 0..<bytes.count : method & 15 == 1 ? inner : nil
            else { return nil }
            var pieces: [Range<Int>] = []
            for _ in 0..<extents {
                guard reader.number(indexSize, bytes) != nil, let offset = reader.number(offsetSize, bytes),
                    let length = reader.number(lengthSize, bytes), offset <= area.count, base <= area.count - offset,
                    length <= area.count - offset - base
                else { return nil }
                let start = area.lowerBound + base + offset
                pieces.append(start..<start + length)
            }
            return pieces
        }
        return nil
    }
}

/// Reads numbers of several sizes one after the other.
private struct ItemLocationReader {
    var offset: Int
    let end: Int

    /// A number of 0, 2, 4 or 8 bytes; nil beyond the end, for other sizes, and for one of more than four bytes.
    mutating func number(_ size: Int, _ bytes: Span<UInt8>) -> Int? {
        guard size <= end - offset else { return nil }
        defer { offset += size }
        switch size {
        case 0: return 0
        case 2: return bytes.word(at: offset)
        case 4: return bytes.long(at: offset)
        case 8: return bytes.long(at: offset) == 0 ? bytes.long(at: offset + 4) : nil
        default: return nil
        }
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= end - offset else { return false }
        offset += count
        return true
    }
}
