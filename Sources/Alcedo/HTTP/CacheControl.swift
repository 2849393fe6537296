/// A Cache-Control field as a private cache reads it (RFC 9111 section 5.2).
///
/// It determines whether the response may be stored and how long it may be used without revalidation. Unknown
/// directives and those for shared caches are ignored.
struct CacheControl: Hashable, Sendable {
    /// In seconds, at most 2³¹; the first one if there are several. Zero if the number can't be parsed: such a response
    /// is stale (section 4.2.1).
    private(set) var maxAge: Int?
    /// Whether the response must not be used without revalidation: no-cache or no-store. A no-cache that names fields
    /// applies to those alone.
    private(set) var forbidsReuse = false
    /// Whether nothing of the response may be stored: no-store, whatever its argument, which it shouldn't have.
    private(set) var forbidsStoring = false
    /// Whether the response is heuristically cacheable whatever its status.
    private(set) var isPublic = false

    init(_ text: String) {
        for directive in Self.directives(text) {
            let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let argument = parts.count > 1 ? Self.unquoted(parts[1]) : nil
            switch String(decoding: parts[0], as: UTF8.self).lowercased() {
            case "max-age": maxAge = maxAge ?? argument.flatMap(Self.seconds) ?? 0
            // Whitespace before the "=" is an error, and no reason to use the response for longer.
            case let name where name.hasPrefix("max-age "): maxAge = maxAge ?? 0
            // Whitespace or an argument after it is an error, and no reason to store the response.
            case let name where name.prefix { $0 != " " && $0 != "\t" } == "no-store":
                (forbidsReuse, forbidsStoring) = (true, true)
            case "no-cache" where argument?.isEmpty ?? true: forbidsReuse = true
            case "public": isPublic = true
            default: break
            }
        }
    }

    /// The text between the commas, except commas within quotes.
    private static func directives(_ text: String) -> [Substring.UTF8View] {
        var directives: [Substring.UTF8View] = []
        var (isQuoted, isEscaped) = (false, false)
        var start = text.utf8.startIndex
        for place in text.utf8.indices {
            let byte = text.utf8[place]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isQuoted
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                directives.append(text[start..<place].utf8.trimmed(where: \.isBlank))
                start = text.utf8.index(after: place)
            }
        }
        directives.append(text[start...].utf8.trimmed(where: \.isBlank))
        return directives
    }

    /// Numbers may be quoted as well (section 5.2).
    private static func unquoted(_ text: Substring.UTF8View) -> Substring.UTF8View {
        guard text.count > 1, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return text }
        return text.dropFirst().dropLast()
    }

    private static func seconds(_ text: Substring.UTF8View) -> Int? {
        // The scanner skips whitespace around the number, which is an error here.
        guard let first = text.first, first.isDigit else { return nil }
        var scanner = FieldScanner(String(Substring(text)))
        guard let number = scanner.number(), scanner.isAtEnd else { return nil }
        return min(number, Freshness.mostSeconds)
    }
}

extension HTTPHeaders {
    /// Whether `Cache-Control` contains no-store, in a response or in a request (RFC 9111 sections 5.2.1.5 and
    /// 5.2.2.5).
    var forbidStoring: Bool { self["Cache-Control"].map { CacheControl($0).forbidsStoring } ?? false }
}
