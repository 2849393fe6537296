import Foundation

/// Values as JSON that is pleasant to read and can't steer a terminal.
enum JSONText {
    static func of(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The encoder escapes what JSON says must be, and no other control characters. Those that are left stand inside
    /// texts, but for the ends of lines.
    private static func escaped(_ json: String) -> String {
        let isPlain = { (scalar: Unicode.Scalar) in scalar == "\n" || !OneLine.isControl(scalar) }
        guard !json.unicodeScalars.allSatisfy(isPlain) else { return json }
        // All control characters and line ends of Unicode have four digits.
        return json.unicodeScalars.map { isPlain($0) ? String($0) : String(format: "\\u%04x", $0.value) }.joined()
    }
}
