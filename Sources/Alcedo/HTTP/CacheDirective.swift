/// One directive of a Cache-Control field, such as `max-age=60` (RFC 9111 section 5.2).
struct CacheDirective {
    /// In lower case, up to the `=`. Includes whitespace before it, which is an error.
    let name: String
    /// Without its quotes; nil if there is no `=`.
    let argument: Substring.UTF8View?

    /// The number of seconds in the argument, at most 2³¹; nil if it isn't a number.
    var seconds: Int? {
        // The scanner skips whitespace around the number, which is an error here.
        guard let argument, let first = argument.first, first.isDigit else { return nil }
        var scanner = FieldScanner(String(Substring(argument)))
        guard let number = scanner.number(), scanner.isAtEnd else { return nil }
        return min(number, Freshness.mostSeconds)
    }

    /// The field names in the argument, in lower case.
    var fieldNames: [String] {
        Substring(argument ?? Substring().utf8).split(separator: ",").map {
            String(decoding: $0.utf8.trimmed(where: \.isBlank), as: UTF8.self).lowercased()
        }
    }

    /// Calls `body` with each directive of a field. Stops after 1,000, because no sender means more.
    ///
    /// - Returns: Whether all were passed.
    static func forEach(in text: String, _ body: (CacheDirective) -> Void) -> Bool {
        var count = 0
        forEachPart(of: text) { part in
            count += 1
            if count <= 1000 { body(CacheDirective(part)) }
        }
        return count <= 1000
    }

    private init(_ text: Substring.UTF8View) {
        let parts = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        name = String(decoding: parts[0], as: UTF8.self).lowercased()
        argument = parts.count > 1 ? Self.unquoted(parts[1]) : nil
    }

    /// Calls `body` with the text between the commas, except commas within quotes. Where a quote isn't closed, quotes
    /// mean nothing: it must not hide the directives after it.
    private static func forEachPart(of text: String, _ body: (Substring.UTF8View) -> Void) {
        var parts: [Substring.UTF8View] = []
        if !split(text, respectsQuotes: true, into: &parts) {
            parts = []
            _ = split(text, respectsQuotes: false, into: &parts)
        }
        parts.forEach(body)
    }

    /// Returns whether all quotes are closed.
    private static func split(
        _ text: String, respectsQuotes: Bool, into parts: inout [Substring.UTF8View]
    ) -> Bool {
        var (isQuoted, isEscaped) = (false, false)
        var start = text.utf8.startIndex
        for place in text.utf8.indices {
            let byte = text.utf8[place]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isQuoted
            } else if byte == UInt8(ascii: "\""), respectsQuotes {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                parts.append(text[start..<place].utf8.trimmed(where: \.isBlank))
                start = text.utf8.index(after: place)
            }
        }
        parts.append(text[start...].utf8.trimmed(where: \.isBlank))
        return !isQuoted
    }

    /// Numbers may be quoted as well (section 5.2).
    private static func unquoted(_ text: Substring.UTF8View) -> Substring.UTF8View {
        guard text.count > 1, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return text }
        return text.dropFirst().dropLast()
    }
}
