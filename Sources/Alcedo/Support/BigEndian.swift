/// Reads from untrusted bytes: reading past the end returns nil and never traps.
extension Span<UInt8> {
    func byte(at offset: Int) -> UInt8? {
        indices.contains(offset) ? self[offset] : nil
    }

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

    func has(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { text in
            text.indices.allSatisfy { byte(at: offset + $0) == text[$0] }
        }
    }
}
