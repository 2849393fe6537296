/// Measures text in terminal cells.
///
/// Terminals disagree about the width of many characters, so characters that some of them show in two cells count as
/// two: a line may be too short, but never wraps.
enum CellText {
    static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

    /// Returns text that is exactly as wide as `width`: cut off, or padded with spaces.
    static func fitted(_ text: String, width: Int) -> String {
        let (cut, used) = cut(text, width: width)
        return cut + String(repeating: " ", count: width - used)
    }

    /// Returns text that is at most as wide as `width`. "…" marks a cut.
    static func cut(_ text: String, width: Int) -> (text: String, width: Int) {
        guard width > 0 else { return ("", 0) }
        let text = plain(text)
        let whole = self.width(text)
        if whole <= width { return (text, whole) }
        var (result, used) = ("", 0)
        for character in text {
            let next = self.width(String(character))
            if used + next > width - 1 { break }
            result.append(character)
            used += next
        }
        return (result + "…", used + 1)
    }

    /// Removes characters that are invisible or change the direction of writing.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                OneLine.of(text).unicodeScalars.filter { $0.properties.generalCategory != .format }))
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        // Punctuation, arrows and boxes, which the tool's own lines consist of.
        default: scalar.value < 0x1100 || (0x2010...0x25FF).contains(scalar.value) ? 1 : 2
        }
    }
}
