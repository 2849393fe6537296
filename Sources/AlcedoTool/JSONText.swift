import Foundation

/// Formats values as readable JSON that can't control a terminal.
enum JSONText {
    static func of(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The encoder escapes only the control characters that JSON requires. The remaining ones are inside strings,
    /// except for line ends.
    private static func escaped(_ json: String) -> String {
        let isPlain = { (scalar: Unicode.Scalar) in scalar == "\n" || !OneLine.isControl(scalar) }
        guard !json.unicodeScalars.allSatisfy(isPlain) else { return json }
        // All control characters and line ends in Unicode fit into four digits.
        return json.unicodeScalars.map { isPlain($0) ? String($0) : String(format: "\\u%04x", $0.value) }.joined()
    }
}
