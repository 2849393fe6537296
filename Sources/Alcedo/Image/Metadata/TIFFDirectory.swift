/// One directory of a TIFF file (TIFF 6.0, section 2). EXIF, GPS data and the multi-picture index of a JPEG have the
/// same structure.
///
/// It holds offsets only: each call reads from the file's bytes again, and finding a field allocates nothing.
/// Directories are reached only through the fields that name them, so loops of directories aren't followed.
struct TIFFDirectory {
    /// The type and the place of a field's values, all of which lie within the bytes.
    struct Field {
        let type: Int
        let count: Int
        let range: Range<Int>
    }

    private let isLittleEndian: Bool
    /// The offset of the first entry.
    private let start: Int
    /// The number of entries that the file claims.
    private let count: Int

    /// The most entries that are searched. Real files have up to about a hundred.
    private static let mostEntries = 1_000

    /// The first directory of a file.
    init?(firstOf bytes: Span<UInt8>) {
        let isLittleEndian = bytes.has("II*\0", at: 0)
        guard isLittleEndian || bytes.has("MM\0*", at: 0),
            let offset = isLittleEndian ? bytes.littleLong(at: 4) : bytes.long(at: 4)
        else { return nil }
        self.init(at: offset, isLittleEndian, bytes)
    }

    private init?(at offset: Int, _ isLittleEndian: Bool, _ bytes: Span<UInt8>) {
        guard let claimed = isLittleEndian ? bytes.littleWord(at: offset) : bytes.word(at: offset) else { return nil }
        self.isLittleEndian = isLittleEndian
        start = offset + 2
        count = min(claimed, Self.mostEntries)
    }

    /// The first field with this tag. Nil if there is none, or if its values aren't all there.
    func field(_ tag: Int, in bytes: Span<UInt8>) -> Field? {
        for entry in 0..<count {
            // Tag, type, count, and the values or their offset: 2 + 2 + 4 + 4 bytes.
            let offset = start + entry * 12
            guard let found = word(at: offset, bytes) else { return nil }
            guard found == tag else { continue }
            guard let type = word(at: offset + 2, bytes), let count = long(at: offset + 4, bytes),
                let size = Self.size(ofType: type)
            else { return nil }
            // Both factors are small: the product can't overflow.
            let length = count * size
            guard let place = length <= 4 ? offset + 8 : long(at: offset + 8, bytes), length <= bytes.count - place
            else { return nil }
            return Field(type: type, count: count, range: place..<place + length)
        }
        return nil
    }

    private static func size(ofType type: Int) -> Int? {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }

    /// The directory that a field points to.
    func directory(_ tag: Int, in bytes: Span<UInt8>) -> TIFFDirectory? {
        guard let field = field(tag, in: bytes), [4, 13].contains(field.type), field.count == 1,
            let offset = long(at: field.range.lowerBound, bytes)
        else { return nil }
        return TIFFDirectory(at: offset, isLittleEndian, bytes)
    }

    /// The first value of a field of unsigned integers.
    func integer(_ tag: Int, in bytes: Span<UInt8>) -> Int? {
        guard let field = field(tag, in: bytes), field.count >= 1 else { return nil }
        let offset = field.range.lowerBound
        switch field.type {
        case 1: return bytes.byte(at: offset).map(Int.init)
        case 3: return word(at: offset, bytes)
        case 4: return long(at: offset, bytes)
        default: return nil
        }
    }

    /// The value of a field of fractions or integers; nil if the divisor is 0.
    func number(_ tag: Int, _ index: Int = 0, in bytes: Span<UInt8>) -> Double? {
        guard let field = field(tag, in: bytes), index < field.count else { return nil }
        let offset = field.range.lowerBound + index * 8
        switch field.type {
        case 5, 10:
            guard let dividend = long(at: offset, bytes), let divisor = long(at: offset + 4, bytes), divisor != 0 else {
                return nil
            }
            guard field.type == 10 else { return Double(dividend) / Double(divisor) }
            return Double(Int32(truncatingIfNeeded: dividend)) / Double(Int32(truncatingIfNeeded: divisor))
        default: return index == 0 ? integer(tag, in: bytes).map(Double.init) : nil
        }
    }

    /// The text of a field, up to the first NUL.
    func text(_ tag: Int, in bytes: Span<UInt8>) -> String? {
        // Type 2 is ASCII; some programs write UTF-8 as bytes without a type.
        guard let field = field(tag, in: bytes), [1, 2, 7].contains(field.type) else { return nil }
        return String(metadata: bytes.extracting(field.range))
    }

    /// Two bytes in the byte order of the file.
    func word(at offset: Int, _ bytes: Span<UInt8>) -> Int? {
        isLittleEndian ? bytes.littleWord(at: offset) : bytes.word(at: offset)
    }

    /// Four bytes in the byte order of the file.
    func long(at offset: Int, _ bytes: Span<UInt8>) -> Int? {
        isLittleEndian ? bytes.littleLong(at: offset) : bytes.long(at: offset)
    }
}
