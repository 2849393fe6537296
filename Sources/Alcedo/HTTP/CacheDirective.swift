/// One directive of a Cache-Control field, such as `max-age=60` (RFC 9111 section 5.2).
///
/// It refers to the field's bytes, and is valid only while they are being read, so that reading the directives of each
/// response allocates nothing.
struct CacheDirective {
    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// The text before the `=`, including any whitespace before it, which is an error.
    let name: Bytes
    /// The argument without its quotes; nil if there is no `=`.
    let argument: Bytes?

    /// Whether the directive has this name, ignoring case.
    func isNamed(_ text: StaticString) -> Bool { name.elementsEqual(text) }

    /// Whether the directive has this name, followed by whitespace.
    func isNamedWithBlanks(_ text: StaticString) -> Bool {
        name.count > text.utf8CodeUnitCount && name.prefix(text.utf8CodeUnitCount).elementsEqual(text)
            && name[name.startIndex + text.utf8CodeUnitCount].isBlank
    }

    /// The number of seconds in the argument, at most 2³¹; nil if it isn't a number.
    var seconds: Int? {
        guard let argument, !argument.isEmpty, argument.allSatisfy(\.isDigit) else { return nil }
        var seconds = 0
        for digit in argument { seconds = min(10 * seconds + Int(digit) - 48, Freshness.mostSeconds) }
        return seconds
    }

    /// The field names in the argument, in lower case.
    var fieldNames: [String] {
        (argument ?? name.prefix(0)).split(separator: UInt8(ascii: ",")).map {
            String(decoding: $0.trimmed(where: \.isBlank), as: UTF8.self).lowercased()
        }
    }

    /// Calls `body` with each directive of a field. Stops after 1,000, because no real sender uses more.
    ///
    /// - Returns: Whether all directives were passed.
    static func forEach(in text: String, _ body: (CacheDirective) -> Void) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            // An unclosed quote must not hide the directives after it.
            let respectsQuotes = areQuotesClosed(bytes)
            var count = 0
            forEachPart(of: bytes, respectsQuotes: respectsQuotes) { part in
                count += 1
                if count <= 1000 { body(CacheDirective(part)) }
            }
            return count <= 1000
        }
    }

    private init(_ text: Bytes) {
        let equals = text.firstIndex(of: UInt8(ascii: "="))
        name = text[..<(equals ?? text.endIndex)]
        argument = equals.map { Self.unquoted(text[($0 + 1)...]) }
    }

    private static func areQuotesClosed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var quotes = Quotes()
        for byte in bytes { quotes.pass(byte) }
        return !quotes.isOpen
    }

    /// Calls `body` with the bytes between the commas, except commas within quotes.
    private static func forEachPart(
        of bytes: UnsafeBufferPointer<UInt8>, respectsQuotes: Bool, _ body: (Bytes) -> Void
    ) {
        var quotes = Quotes()
        var start = 0
        for place in bytes.indices {
            if respectsQuotes { quotes.pass(bytes[place]) }
            guard bytes[place] == UInt8(ascii: ","), !quotes.isOpen else { continue }
            body(bytes[start..<place].trimmed(where: \.isBlank))
            start = place + 1
        }
        body(bytes[start...].trimmed(where: \.isBlank))
    }

    /// Tracks whether a byte is within quotes. Only a quote directly after an `=` opens them.
    private struct Quotes {
        private(set) var isOpen = false
        private var isEscaped = false
        private var last: UInt8 = 0

        mutating func pass(_ byte: UInt8) {
            defer { last = byte }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isOpen
            } else if byte == UInt8(ascii: "\"") {
                isOpen = !isOpen && last == UInt8(ascii: "=")
            }
        }
    }

    /// Removes the quotes around an argument. Even numbers may be quoted (section 5.2).
    private static func unquoted(_ text: Bytes) -> Bytes {
        guard text.count > 1, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return text }
        return text.dropFirst().dropLast()
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Whether the bytes equal `text`, ignoring case.
    fileprivate func elementsEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in zip(self, text).allSatisfy { $0.lowercased == $1.lowercased } }
    }
}
