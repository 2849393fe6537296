import Foundation

extension RangeReplaceableCollection<UInt8> {
    /// Appends the bytes of an integer, the least significant one first.
    mutating func append(integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }
}

extension Data {
    /// The bytes of integers, the least significant one of each first.
    init(integers: Int64...) {
        self.init()
        for integer in integers { append(integer: integer) }
    }

    /// The integer at `offset` from the first byte.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        withUnsafeBytes { $0.integer(at: offset) }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at `offset`, least significant byte first.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
