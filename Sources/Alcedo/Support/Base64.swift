/// Base64 (RFC 4648 section 4) as browsers read it in `data:` URLs: whitespace is allowed anywhere, padding may be
/// complete or absent.
enum Base64 {
    /// An upper bound on the number of bytes that `text` decodes to. It is exact if `text` is well-formed.
    static func largestCount(of text: some Sequence<UInt8>) -> Int {
        let symbols = text.reduce(0) { count, byte in isBlank(byte) || byte == padding ? count : count + 1 }
        return symbols / 4 * 3 + symbols % 4 * 3 / 4
    }

    /// Returns nil when `text` isn't base64.
    ///
    /// - Parameter largestCount: The ``largestCount(of:)`` of `text`, which is reserved up front.
    static func decode(_ text: some Sequence<UInt8>, largestCount: Int) -> [UInt8]? {
        let values = values
        var decoded: [UInt8] = []
        decoded.reserveCapacity(largestCount)
        var bits: UInt32 = 0
        var symbols = 0
        var paddings = 0
        for byte in text {
            let value = values[Int(byte)]
            if value < 64 {
                guard paddings == 0 else { return nil }
                bits = bits << 6 | UInt32(value)
                symbols += 1
                if symbols % 4 == 0 {
                    decoded.append(UInt8(truncatingIfNeeded: bits >> 16))
                    decoded.append(UInt8(truncatingIfNeeded: bits >> 8))
                    decoded.append(UInt8(truncatingIfNeeded: bits))
                }
            } else if byte == padding {
                paddings += 1
            } else if !isBlank(byte) {
                return nil
            }
        }
        guard paddings == 0 || (paddings <= 2 && (symbols + paddings) % 4 == 0) else { return nil }
        switch symbols % 4 {
        case 0: break
        case 2: decoded.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            decoded.append(UInt8(truncatingIfNeeded: bits >> 10))
            decoded.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return decoded
    }

    private static let padding = UInt8(ascii: "=")

    /// Tab, line feed, form feed, carriage return and space.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9 || byte == 10 || byte == 12 || byte == 13
    }

    /// The six bits of each symbol, or 255 for any other byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, symbol) in zip(UInt8(0)..., symbols.utf8) { values[Int(symbol)] = value }
        return values
    }()
}
