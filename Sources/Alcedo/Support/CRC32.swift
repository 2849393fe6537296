/// The checksum of PNG's chunks (PNG third edition, annex D), for systems on which Alcedo doesn't use zlib.
struct CRC32 {
    private static let table = ContiguousArray((0...UInt8.max).map(remainder))

    private static func remainder(of byte: UInt8) -> UInt32 {
        var rest = UInt32(byte)
        for _ in 0..<8 { rest = rest & 1 == 0 ? rest >> 1 : (rest >> 1) ^ 0xEDB8_8320 }
        return rest
    }

    private var rest = UInt32.max

    /// The checksum of the bytes added so far.
    var value: UInt32 { ~rest }

    mutating func add(_ bytes: Span<UInt8>) {
        let table = Self.table.span
        var rest = rest
        for index in bytes.indices { rest = (rest >> 8) ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[index])] }
        self.rest = rest
    }
}
