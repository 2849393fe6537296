import Foundation

/// Formats values as readable JSON that can't control a terminal.
enum JSONText {
    static func of(_ value: some Encodable, isASCII: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return escaped(ArgumentText.shown(String(decoding: try encoder.encode(value), as: UTF8.self)), isASCII)
    }

    /// Escapes unsafe characters, and with `isASCII` all characters that aren't ASCII. The encoder escapes only those
    /// that JSON requires. All of these characters are inside strings, except for line ends.
    private static func escaped(_ json: String, _ isASCII: Bool) -> String {
        let isPlain = { (scalar: Unicode.Scalar) in
            scalar == "\n" || (scalar.isASCII || !isASCII) && !OneLine.isUnsafe(scalar)
        }
        guard !json.unicodeScalars.allSatisfy(isPlain) else { return json }
        return json.unicodeScalars.map { scalar in
            isPlain(scalar)
                ? String(scalar) : String(scalar).utf16.map { String(format: "\\u%04x", Int($0)) }.joined()
        }.joined()
    }
}
