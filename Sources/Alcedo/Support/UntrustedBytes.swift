import Foundation

/// Reads from untrusted bytes: reading past the end returns nil and never traps.
extension Span<UInt8> {
    func byte(at offset: Int) -> UInt8? { indices.contains(offset) ? self[offset] : nil }

    /// Two bytes, most significant first.
    func word(at offset: Int) -> Int? {
        guard let high = byte(at: offset), let low = byte(at: offset + 1) else { return nil }
        return Int(high) << 8 | Int(low)
    }

    /// Four bytes, most significant first.
    func long(at offset: Int) -> Int? {
        guard let high = word(at: offset), let low = word(at: offset + 2) else { return nil }
        return high << 16 | low
    }

    /// Two bytes, least significant first.
    func littleWord(at offset: Int) -> Int? { word(at: offset).map { $0 >> 8 | ($0 & 0xFF) << 8 } }

    /// Three bytes, least significant first.
    func littleTriple(at offset: Int) -> Int? {
        guard let low = littleWord(at: offset), let high = byte(at: offset + 2) else { return nil }
        return low | Int(high) << 16
    }

    /// Four bytes, least significant first.
    func littleLong(at offset: Int) -> Int? {
        guard let low = littleWord(at: offset), let high = littleWord(at: offset + 2) else { return nil }
        return low | high << 16
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

extension Int {
    /// The product, or `Int.max` if that is too large. Neither factor may be negative.
    func multiplied(by other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}

extension UInt8 {
    /// Whether this is an ASCII space or tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// Whether this is an ASCII digit.
    var isDigit: Bool { (0x30...0x39).contains(self) }
    /// An ASCII letter in lower case; any other byte as it is.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension BidirectionalCollection {
    /// Without the elements at both ends that satisfy `isOmitted`.
    func trimmed(where isOmitted: (Element) -> Bool) -> SubSequence {
        let rest = drop(while: isOmitted)
        return rest.lastIndex { !isOmitted($0) }.map { rest[...$0] } ?? rest
    }
}
