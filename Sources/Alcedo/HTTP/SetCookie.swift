/// One `Set-Cookie` value, parsed by RFC 6265 section 5.2. Attributes that can't be parsed are ignored.
struct SetCookie {
    let name: String
    let value: String
    /// In lower case and without a leading dot; nil without the attribute.
    private(set) var domain: String?
    /// Nil without the attribute; the path then follows from the response's URL.
    private(set) var path: String?
    private(set) var isSecure = false
    private var endByAge: Int64?
    private var endByDate: Int64?

    /// The second since 1970 from which on the cookie isn't sent; `Int64.max` without such an attribute.
    var end: Int64 { endByAge ?? endByDate ?? .max }

    /// Nil without a name or a "=", and with control characters in the name or the value.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    init?(_ text: Substring.UTF8View, now: Int64) {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first?.pair, let value = pair.value, !pair.name.isEmpty,
            !pair.name.hasControlCharacter, !value.hasControlCharacter
        else { return nil }
        name = pair.name
        self.value = value
        for part in parts.dropFirst() { take(part, now: now) }
    }

    /// Of several attributes with the same name, the last one counts.
    private mutating func take(_ attribute: Substring.UTF8View, now: Int64) {
        let (name, text) = attribute.pair
        let value = text ?? ""
        switch name.lowercased() {
        case "max-age": endByAge = Self.end(ofAge: value, now: now) ?? endByAge
        case "expires": endByDate = CookieDate(value)?.secondsSince1970 ?? endByDate
        case "domain" where !value.isEmpty:
            domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        default: break
        }
    }

    private static func end(ofAge text: String, now: Int64) -> Int64? {
        var scanner = FieldScanner(text)
        let isNegative = scanner.skip("-")
        guard let age = scanner.number(), scanner.isAtEnd else { return nil }
        guard !isNegative, age > 0 else { return .min }
        let (end, overflows) = now.addingReportingOverflow(Int64(age))
        return overflows ? .max : end
    }

    // MARK: Several values in one

    /// Splits the values of several fields that Foundation has joined by ", ".
    ///
    /// Dates also contain a comma and a space, so a value ends only where a name and a "=" follow.
    static func parts(of field: String) -> [Substring.UTF8View] {
        let text = field[...].utf8
        var parts: [Substring.UTF8View] = []
        var start = text.startIndex
        var index = start
        while let comma = text[index...].firstIndex(of: UInt8(ascii: ",")) {
            index = text.index(after: comma)
            guard beginsAnother(text[index...]) else { continue }
            parts.append(text[start..<comma])
            start = index
        }
        parts.append(text[start...])
        return parts
    }

    /// Whether the text starts with whitespace, then a name, then "=".
    private static func beginsAnother(_ text: Substring.UTF8View) -> Bool {
        let name = text.drop(while: \.isBlank)
        guard name.startIndex != text.startIndex, let end = name.firstIndex(where: { !$0.isOfName }) else {
            return false
        }
        return end != name.startIndex && name[end] == UInt8(ascii: "=")
    }
}

extension UInt8 {
    /// Allows more than a token: names contain brackets and colons, for instance.
    fileprivate var isOfName: Bool { self > 0x20 && self != 0x7F && !"\",;=".utf8.contains(self) }
}

extension Substring.UTF8View {
    /// The text before the first "=" and the text after it, without surrounding whitespace.
    fileprivate var pair: (name: String, value: String?) {
        guard let equals = firstIndex(of: UInt8(ascii: "=")) else { return (trimmed, nil) }
        return (self[..<equals].trimmed, self[index(after: equals)...].trimmed)
    }

    private var trimmed: String { String(Substring(trimmed(where: \.isBlank))) }
}

extension String {
    fileprivate var hasControlCharacter: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}
