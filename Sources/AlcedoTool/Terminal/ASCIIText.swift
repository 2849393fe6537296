/// Text for terminals and files whose encoding isn't UTF-8.
enum ASCIIText {
    /// Replaces the symbols of the tool's own lines by similar ones, and escapes all other characters that aren't
    /// ASCII.
    static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return text.unicodeScalars.map { $0.isASCII ? String($0) : signs[$0] ?? $0.escaped(asASCII: true) }.joined()
    }

    private static let signs: [Unicode.Scalar: String] = [
        "→": "->", "×": "x", "·": "-", "…": "...", "█": "#", "░": ".", "°": " degrees", "–": "-", "µ": "u",
    ]
}
