/// Parses a header field's value from left to right. Unexpected input yields nil or false and never traps.
///
/// Letters are compared ignoring ASCII case.
struct FieldScanner {
    private var rest: Substring.UTF8View

    /// Drops the whitespace around the value, which isn't part of it (RFC 9110 section 5.5).
    init(_ text: String) { rest = text.utf8.trimmed(where: \.isBlank) }

    var isAtEnd: Bool { rest.isEmpty }

    /// Skips `text` if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        let found = text.withUTF8Buffer { text in
            rest.count >= text.count && zip(rest, text).allSatisfy { $0.lowercased == $1.lowercased }
        }
        if found { rest.removeFirst(text.utf8CodeUnitCount) }
        return found
    }

    /// Skips the spaces and tabs that come next.
    mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

    /// The ASCII letters that come next, in lower case.
    mutating func letters() -> String {
        let letters = rest.prefix { (97...122).contains($0.lowercased) }
        rest.removeFirst(letters.count)
        // Without an array, as each response's dates are read.
        return String(unsafeUninitializedCapacity: letters.count) { bytes in
            for (place, letter) in letters.enumerated() { bytes[place] = letter.lowercased }
            return letters.count
        }
    }

    /// A number with exactly this many digits, at most 18.
    mutating func number(digits: Int) -> Int? {
        guard rest.prefix(while: \.isDigit).count == digits else { return nil }
        return number()
    }

    /// The number that comes next, of any length. Nil when there is no digit, and `Int.max` for that value or more.
    mutating func number() -> Int? {
        let digits = rest.prefix(while: \.isDigit)
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        var number = 0
        for digit in digits {
            let (tens, isHuge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = tens.addingReportingOverflow(Int(digit) - 48)
            if isHuge || isTooMuch { return .max }
            number = sum
        }
        return number
    }
}
