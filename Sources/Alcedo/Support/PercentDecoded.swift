/// The percent-decoded bytes of a part of a URL: `%2B` becomes one byte.
///
/// A `%` that isn't followed by two hexadecimal digits is left as it is.
struct PercentDecoded: Sequence, IteratorProtocol {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// - Parameter bytes: Must outlive this value.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        guard byte == UInt8(ascii: "%"), position + 1 < bytes.count, let high = Self.digit(bytes[position]),
            let low = Self.digit(bytes[position + 1])
        else { return byte }
        position += 2
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
