import Alcedo

/// The file name that a Content-Disposition field suggests (RFC 6266).
enum ContentDisposition {
    /// Returns the last part of the name, which still needs to be made safe; nil if there is none.
    static func fileName(_ field: String) -> String? {
        let parameters = parameters(of: field)
        guard let name = parameters["filename*"].flatMap(extended) ?? parameters["filename"] else { return nil }
        // Only the last part of a path counts (section 4.3), whichever system wrote it.
        let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map { String($0) }
        return last.flatMap { $0.contains { !". ".contains($0) } ? $0 : nil }
    }

    /// The parameters after the type, by their names in lower case. If a name is repeated, the first one counts.
    private static func parameters(of field: String) -> [String: String] {
        var rest = field.unicodeScalars[...]
        _ = take(&rest) { $0 != ";" }
        var parameters: [String: String] = [:]
        while rest.popFirst() == ";" {
            let name = take(&rest) { $0 != "=" && $0 != ";" }.lowercased()
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            _ = take(&rest) { $0 == " " || $0 == "\t" }
            let value = rest.first == "\"" ? quoted(&rest) : take(&rest) { $0 != ";" }
            if parameters[name] == nil { parameters[name] = value }
            // Nothing but spaces may follow a quoted value.
            _ = take(&rest) { $0 != ";" }
        }
        return parameters
    }

    /// Takes the scalars up to the first that doesn't match, without the spaces around them.
    private static func take(
        _ rest: inout Substring.UnicodeScalarView, while matches: (Unicode.Scalar) -> Bool
    ) -> String {
        let taken = rest.prefix(while: matches)
        rest = rest[taken.endIndex...]
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let text = taken.drop(while: isSpace)
        return String(String.UnicodeScalarView(text.reversed().drop(while: isSpace).reversed()))
    }

    /// Takes a text in quotes, in which a backslash precedes a sign that is meant as it is.
    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String {
        rest.removeFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let next = rest.popFirst() { text.append(next) } else { text.append(scalar) }
        }
        return String(text)
    }

    /// Decodes a value that states its encoding, such as UTF-8'en'a%20b (RFC 8187); nil if it is invalid.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, value.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let bytes = Array(parts[2].utf8).percentDecoded
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
