/// The fields of a TIFF directory to write, lowest byte first (TIFF 6.0, section 2). EXIF has the same structure.
struct TIFFFields {
    private struct Field {
        let tag: Int
        let type: Int
        let count: Int
        let value: [UInt8]
    }

    private var fields: [Field] = []

    var isEmpty: Bool { fields.isEmpty }

    /// The number of bytes of the directory with its values.
    var length: Int {
        6 + fields.reduce(0) { $0 + 12 + ($1.value.count > 4 ? $1.value.count + $1.value.count % 2 : 0) }
    }

    /// Adds a text. Like the functions below, adds nothing for nil.
    mutating func add(_ tag: Int, text: String?) {
        guard let text else { return }
        let bytes = Array(text.utf8.prefix(String.mostMetadataBytes)).filter { $0 != 0 } + [0]
        fields.append(Field(tag: tag, type: 2, count: bytes.count, value: bytes))
    }

    /// Adds a number of up to 16 bits. Larger numbers are left out.
    mutating func add(_ tag: Int, word: Int?) {
        guard let word = word.flatMap({ UInt16(exactly: $0) }) else { return }
        fields.append(Field(tag: tag, type: 3, count: 1, value: Self.bytes(Int(word), 2)))
    }

    /// Adds a number of up to 32 bits. Larger numbers are left out.
    mutating func add(_ tag: Int, long: Int?) {
        guard let long = long.flatMap({ UInt32(exactly: $0) }) else { return }
        fields.append(Field(tag: tag, type: 4, count: 1, value: Self.bytes(Int(long), 4)))
    }

    mutating func add(_ tag: Int, bytes: [UInt8]) {
        fields.append(Field(tag: tag, type: bytes.count == 1 ? 1 : 7, count: bytes.count, value: bytes))
    }

    /// Adds numbers as fractions, or nothing if one of them can't be written as a fraction of 32-bit numbers.
    mutating func add(_ tag: Int, fractions: [Double]?, isSigned: Bool = false) {
        guard let fractions else { return }
        var value: [UInt8] = []
        for number in fractions {
            guard let (dividend, divisor) = Self.fraction(number, isSigned: isSigned) else { return }
            value += Self.bytes(dividend, 4) + Self.bytes(divisor, 4)
        }
        fields.append(Field(tag: tag, type: isSigned ? 10 : 5, count: fractions.count, value: value))
    }

    /// The bytes of the directory, for this offset in the file, followed by the values that don't fit into it.
    func bytes(at start: Int) -> [UInt8] {
        var (entries, values): ([UInt8], [UInt8]) = (Self.bytes(fields.count, 2), [])
        let place = start + 6 + 12 * fields.count
        for field in fields.sorted(by: { $0.tag < $1.tag }) {
            entries += Self.bytes(field.tag, 2) + Self.bytes(field.type, 2) + Self.bytes(field.count, 4)
            if field.value.count <= 4 {
                entries += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
            } else {
                entries += Self.bytes(place + values.count, 4)
                values += field.value + (field.value.count % 2 == 0 ? [] : [0])
            }
        }
        return entries + Self.bytes(0, 4) + values
    }

    static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// The first convergent of the number's continued fraction that equals it, or else the last one that fits.
    private static func fraction(_ number: Double, isSigned: Bool) -> (Int, Int)? {
        let most = Double(isSigned ? Int(Int32.max) : Int(UInt32.max))
        guard number.isFinite, abs(number) <= most, isSigned || number >= 0 else { return nil }
        var (rest, before, now) = (abs(number), (0.0, 1.0), (1.0, 0.0))
        repeat {
            let whole = rest.rounded(.down)
            let next = (whole * now.0 + before.0, whole * now.1 + before.1)
            guard max(next.0, next.1) <= most else { break }
            (before, now) = (now, next)
            rest = 1 / (rest - whole)
        } while now.0 / now.1 != abs(number)
        guard now.1 > 0 else { return nil }
        return (Int(number < 0 ? -now.0 : now.0), Int(now.1))
    }
}
