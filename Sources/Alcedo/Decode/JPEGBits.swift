/// Reads the Huffman codes of a JPEG's scans bit by bit (ITU-T T.81, section F.2.2).
struct JPEGBits {
    /// The scan ends before a bit that is needed, or has a code that isn't in its table.
    struct Missing: Error {}

    /// The codes of each length from 1 to 16 bits, and their values in order of the codes.
    struct Table {
        var counts: [Int]
        var values: [UInt8]
    }

    private let bytes: ContiguousArray<UInt8>
    /// The offset of the next byte.
    private(set) var offset: Int
    private var current: UInt8 = 0
    private var left = 0

    init(_ bytes: ContiguousArray<UInt8>, from offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    mutating func bit() throws(Missing) -> Int {
        if left == 0 {
            guard offset < bytes.count else { throw Missing() }
            current = bytes[offset]
            if current == 0xFF {
                // A zero follows each such byte of a scan; any other byte makes it a marker.
                guard offset + 1 < bytes.count, bytes[offset + 1] == 0 else { throw Missing() }
                offset += 1
            }
            offset += 1
            left = 8
        }
        left -= 1
        return Int(current >> UInt8(left) & 1)
    }

    mutating func bits(_ count: Int) throws(Missing) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | (try bit()) }
        return value
    }

    mutating func value(_ table: Table) throws(Missing) -> Int {
        // The codes of one length follow each other, after those of the shorter lengths.
        var (code, first, index) = (0, 0, 0)
        for count in table.counts {
            code |= try bit()
            if code - first < count, table.values.indices.contains(index + code - first) {
                return Int(table.values[index + code - first])
            }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw Missing()
    }

    /// Moves behind the next restart marker, which must be the given one.
    mutating func restart(_ number: Int) throws(Missing) {
        left = 0
        while offset + 1 < bytes.count {
            let (byte, next) = (bytes[offset], bytes[offset + 1])
            offset += 1
            if byte == 0xFF, next != 0, next != 0xFF {
                guard Int(next) == 0xD0 + number else { throw Missing() }
                offset += 1
                return
            }
        }
        throw Missing()
    }
}
