import Foundation

/// Reads from untrusted bytes: reading past the end returns nil and never traps.
extension Span<UInt8> {
    func byte(at offset: Int) -> UInt8? { indices.contains(offset) ? self[offset] : nil }

    /// Two bytes, most significant first.
    func word(at offset: Int) -> Int? { number(of: 2, at: offset) }

    /// Four bytes, most significant first.
    func long(at offset: Int) -> Int? { number(of: 4, at: offset) }

    /// Two bytes, least significant first.
    func littleWord(at offset: Int) -> Int? { number(of: 2, at: offset, isLittle: true) }

    /// Three bytes, least significant first.
    func littleTriple(at offset: Int) -> Int? { number(of: 3, at: offset, isLittle: true) }

    /// Four bytes, least significant first.
    func littleLong(at offset: Int) -> Int? { number(of: 4, at: offset, isLittle: true) }

    @inline(__always)
    private func number(of length: Int, at offset: Int, isLittle: Bool = false) -> Int? {
        guard offset >= 0, length <= count - offset else { return nil }
        return (0..<length).reduce(0) { $0 << 8 | Int(self[offset + (isLittle ? length - 1 - $1 : $1)]) }
    }

    func has(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { text in
            text.indices.allSatisfy { byte(at: offset + $0) == text[$0] }
        }
    }
}

extension Data {
    /// The bytes at these offsets from the beginning.
    func part(_ range: Range<Int>) -> Data { dropFirst(range.lowerBound).prefix(range.count) }
}

extension [UInt8] {
    /// Two lower-case hexadecimal digits per byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            for (index, byte) in enumerated() {
                digits[2 * index] = Self.digit(byte >> 4)
                digits[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * count
        }
    }

    private static func digit(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x57 + number }
}

extension Int {
    /// The product, or `Int.max` if that is too large. Neither factor may be negative.
    func multiplied(by other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }

    /// The sum, or `Int.max` if that is too large. Neither number may be negative.
    func plus(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

extension UInt8 {
    /// Whether this is an ASCII space or tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// Whether this is an ASCII digit.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether this is a character of a token (RFC 9110 section 5.6.2).
    var isOfToken: Bool { isDigit || (0x61...0x7A).contains(lowercased) || "!#$%&'*+-.^_`|~".utf8.contains(self) }
    /// An ASCII letter in lower case; any other byte as it is.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension BidirectionalCollection {
    /// This collection without the elements at both ends that satisfy `isOmitted`.
    func trimmed(where isOmitted: (Element) -> Bool) -> SubSequence {
        let rest = drop(while: isOmitted)
        return rest.lastIndex { !isOmitted($0) }.map { rest[...$0] } ?? rest
    }
}
