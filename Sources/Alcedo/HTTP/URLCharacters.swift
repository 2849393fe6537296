// The characters of URLs.

extension UInt8 {
    /// Whether this character may stand for itself in the path, query or fragment of a URL (RFC 3986). "%" begins an
    /// escape.
    ///
    /// These are all printable ASCII characters except the double quote, "#", "%", angle brackets, square brackets,
    /// braces, "\", "^", the grave accent and "|".
    var isAllowedInURL: Bool {
        switch self {
        case 0x21, 0x24, 0x26...0x3B, 0x3D, 0x3F...0x5A, 0x5F, 0x61...0x7A, 0x7E: true
        default: false
        }
    }

    fileprivate var hexadecimalDigit: UInt8 { self < 10 ? 0x30 + self : 0x37 + self }
}

extension Collection<UInt8> {
    /// Whether the bytes begin with two hexadecimal digits.
    var beginWithHexadecimal: Bool {
        let digits = prefix(2)
        return digits.count == 2 && digits.allSatisfy { $0.hexadecimalValue != nil }
    }

    /// The value of these decimal digits, at most `UInt32.max`; 0 if there are none.
    var decimal: Int { reduce(0) { Swift.min($0 * 10 + Int($1 & 0x0F), Int(UInt32.max)) } }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII letters in lower case, and other bytes as they are.
    var lowercased: [UInt8] { map(\.lowercased) }
}

extension [UInt8] {
    /// Appends these bytes, escaping those that aren't allowed. Existing escapes stay as they are.
    ///
    /// - Parameter others: More bytes to escape.
    mutating func appendEscaped(_ bytes: some Collection<UInt8>, besides others: String.UTF8View = "".utf8) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            let isEscape = byte == UInt8(ascii: "%") && bytes[index...].beginWithHexadecimal
            if isEscape || byte.isAllowedInURL && !others.contains(byte) {
                append(byte)
            } else {
                append(contentsOf: [UInt8(ascii: "%"), (byte >> 4).hexadecimalDigit, (byte & 15).hexadecimalDigit])
            }
        }
    }
}
