/// The percent-decoded bytes of a part of a URL: `%2B` becomes one byte.
///
/// A `%` that isn't followed by two hexadecimal digits is left as it is.
struct PercentDecoded: Sequence, IteratorProtocol {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// - Parameter bytes: The bytes to decode, which must outlive this value.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        guard byte == UInt8(ascii: "%"), position + 1 < bytes.count, let high = bytes[position].hexadecimalValue,
            let low = bytes[position + 1].hexadecimalValue
        else { return byte }
        position += 2
        return high << 4 | low
    }
}

extension [UInt8] {
    /// See ``PercentDecoded``.
    package var percentDecoded: [UInt8] { withUnsafeBufferPointer { Array(PercentDecoded($0)) } }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}
