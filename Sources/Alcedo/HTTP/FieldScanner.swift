/// Parses a header field's value from left to right. Unexpected input yields nil or false and never traps.
///
/// Letters are compared ignoring ASCII case.
struct FieldScanner {
    /// The value's bytes, as an array because advancing its indices costs nothing.
    private let bytes: [UInt8]
    private var place = 0

    /// Removes the whitespace around the value, which isn't part of it (RFC 9110 section 5.5).
    init(_ text: String) { bytes = Array(text.utf8.trimmed(where: \.isBlank)) }

    var isAtEnd: Bool { place == bytes.count }

    /// Skips `text` if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        let end = place + text.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let found = text.withUTF8Buffer { text in
            text.indices.allSatisfy { bytes[place + $0].lowercased == text[$0].lowercased }
        }
        if found { place = end }
        return found
    }

    /// Skips the spaces and tabs that come next.
    mutating func skipBlanks() { place = end(of: \.isBlank) }

    /// The ASCII letters that come next, in lower case.
    mutating func letters() -> String {
        let letters = bytes[place..<end(of: { (97...122).contains($0.lowercased) })]
        place = letters.endIndex
        return String(unsafeUninitializedCapacity: letters.count) { text in
            for (place, letter) in letters.enumerated() { text[place] = letter.lowercased }
            return letters.count
        }
    }

    /// The number that comes next, if it has exactly this many digits, at most 18.
    mutating func number(digits: Int) -> Int? {
        guard end(of: \.isDigit) == place + digits else { return nil }
        return number()
    }

    /// The number that comes next, of any length. Nil when there is no digit, and `Int.max` for that value or more.
    mutating func number() -> Int? {
        let digits = bytes[place..<end(of: \.isDigit)]
        guard !digits.isEmpty else { return nil }
        place = digits.endIndex
        var number = 0
        for digit in digits {
            let (tens, isHuge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = tens.addingReportingOverflow(Int(digit) - 48)
            if isHuge || isTooMuch { return .max }
            number = sum
        }
        return number
    }

    /// The end of the run of included bytes that comes next.
    private func end(of isIncluded: (UInt8) -> Bool) -> Int {
        var end = place
        while end < bytes.count, isIncluded(bytes[end]) { end += 1 }
        return end
    }
}
