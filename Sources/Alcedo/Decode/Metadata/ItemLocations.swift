import Foundation

/// The locations of the contents of a HEIF's items (ISO/IEC 14496-12, section 8.11.3).
struct ItemLocations {
    private let box: Range<Int>
    /// The content of the box for items that are stored within the metadata.
    private let inner: Range<Int>?

    /// The maximum number of pieces of an item. Metadata is in one piece.
    private static let mostExtents = 100

    init(_ bytes: Span<UInt8>, _ meta: Range<Int>) {
        box = MediaBox.first("iloc", in: bytes, meta) ?? 0..<0
        inner = MediaBox.first("idat", in: bytes, meta)
    }

    /// The bytes of an item, joined from its pieces. Nil if bytes are missing, or if there are too many of them.
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
        guard var reader = ItemLocationReader(box, bytes) else { return nil }
        for _ in 0..<reader.itemCount {
            guard let entry = reader.entry(bytes) else { return nil }
            if entry.item == item { return pieces(of: entry, bytes) }
        }
        return nil
    }

    /// The byte ranges of all items that are completely within the file. Nil if the ranges can't be read, or if an item
    /// is listed twice.
    func all(_ bytes: Span<UInt8>) -> [Int: [Range<Int>]]? {
        guard var reader = ItemLocationReader(box, bytes) else { return nil }
        var all: [Int: [Range<Int>]?] = [:]
        for _ in 0..<reader.itemCount {
            guard let entry = reader.entry(bytes),
                all.updateValue(pieces(of: entry, bytes), forKey: entry.item) == nil
            else { return nil }
        }
        return all.compactMapValues { $0 }
    }

    private func pieces(of entry: ItemLocationReader.Entry, _ bytes: Span<UInt8>) -> [Range<Int>]? {
        guard entry.count <= Self.mostExtents,
            let area = entry.method == 0 ? 0..<bytes.count : entry.method == 1 ? inner : nil
        else { return nil }
        var (reader, pieces) = (entry.extents, [Range<Int>]())
        for _ in 0..<entry.count {
            guard let (offset, length) = reader.extent(bytes), offset <= area.count,
                entry.base <= area.count - offset, length <= area.count - offset - entry.base
            else { return nil }
            let start = area.lowerBound + entry.base + offset
            pieces.append(start..<start + length)
        }
        return pieces
    }
}

/// Reads the iloc box from beginning to end.
private struct ItemLocationReader {
    private(set) var itemCount = 0
    private let version: UInt8
    private let sizes: Int
    private var offset: Int
    private let end: Int

    struct Entry {
        let item: Int
        /// 0 for offsets in the file, 1 for offsets in the metadata.
        let method: Int
        let base: Int
        let count: Int
        /// A reader that is placed at the first extent.
        let extents: ItemLocationReader
    }

    init?(_ box: Range<Int>, _ bytes: Span<UInt8>) {
        guard box.count > 8, let version = bytes.byte(at: box.lowerBound), version <= 2,
            let sizes = bytes.word(at: box.lowerBound + 4)
        else { return nil }
        (self.version, self.sizes, offset, end) = (version, sizes, box.lowerBound + 6, box.upperBound)
        guard let count = number(version == 2 ? 4 : 2, bytes) else { return nil }
        itemCount = count
    }

    private var indexSize: Int { version == 0 ? 0 : sizes & 15 }
    private var extentSize: Int { indexSize + (sizes >> 12) + (sizes >> 8 & 15) }

    /// The next item; nil if it is incomplete.
    mutating func entry(_ bytes: Span<UInt8>) -> Entry? {
        guard let item = number(version == 2 ? 4 : 2, bytes), let method = version == 0 ? 0 : number(2, bytes),
            number(2, bytes) != nil, let base = number(sizes >> 4 & 15, bytes), let count = number(2, bytes)
        else { return nil }
        let entry = Entry(item: item, method: method & 15, base: base, count: count, extents: self)
        guard count * extentSize <= end - offset else { return nil }
        offset += count * extentSize
        return entry
    }

    mutating func extent(_ bytes: Span<UInt8>) -> (offset: Int, length: Int)? {
        guard number(indexSize, bytes) != nil, let offset = number(sizes >> 12, bytes),
            let length = number(sizes >> 8 & 15, bytes)
        else { return nil }
        return (offset, length)
    }

    /// Reads a number of 0, 2, 4 or 8 bytes; nil beyond the end, for other sizes, and for a value above 32 bits.
    private mutating func number(_ size: Int, _ bytes: Span<UInt8>) -> Int? {
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
}
