import Foundation

/// Base64 (RFC 4648 section 4) as browsers read it in `data:` URLs: whitespace is allowed anywhere, padding may be
/// complete or absent.
enum Base64 {
    /// An upper bound on the number of bytes that `text` decodes to. It is exact if `text` is well-formed.
    static func largestCount(of text: some Sequence<UInt8>) -> Int {
        let symbols = text.reduce(0) { count, byte in isBlank(byte) || byte == padding ? count : count + 1 }
        return symbols / 4 * 3 + symbols % 4 * 3 / 4
    }

    /// Decodes `text`. Returns nil if it isn't base64.
    static func decode(_ text: some Sequence<UInt8>) -> Data? {
        var symbols = Data(text.lazy.filter { !isBlank($0) })
        let paddings = symbols.reversed().prefix { $0 == padding }.count
        guard paddings == 0 || paddings <= 2 && symbols.count % 4 == 0 else { return nil }
        // Foundation requires padding. A single symbol in the last group is invalid, with or without padding.
        if paddings == 0 { symbols += repeatElement(padding, count: (4 - symbols.count % 4) % 4) }
        return Data(base64Encoded: symbols)
    }

    private static let padding = UInt8(ascii: "=")

    /// Tab, line feed, form feed, carriage return and space.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9 || byte == 10 || byte == 12 || byte == 13
    }
}
