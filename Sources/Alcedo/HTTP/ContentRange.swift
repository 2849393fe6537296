/// The part of a resource that a response holds (RFC 9110 section 14.4).
package struct ContentRange: Hashable, Sendable {
    /// The first and last byte; nil when the requested range doesn't exist.
    package let bytes: ClosedRange<Int>?
    /// The length of the whole resource in bytes; nil when the server doesn't state it.
    package let total: Int?

    /// Parses `bytes 100-999/1000`, `bytes 0-9/*` or `bytes */1000`. Returns nil for anything else, for a range that
    /// ends before it starts or beyond the whole, and for numbers too large for arithmetic.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        guard scanner.skip("bytes ") else { return nil }
        if scanner.skip("*/") {
            guard let total = scanner.number(), total < .max else { return nil }
            (bytes, self.total) = (nil, total)
        } else {
            guard let first = scanner.number(), scanner.skip("-"), let last = scanner.number(), first <= last,
                last < .max, scanner.skip("/")
            else { return nil }
            bytes = first...last
            if scanner.skip("*") {
                total = nil
            } else {
                guard let total = scanner.number(), total < .max, last < total else { return nil }
                self.total = total
            }
        }
        guard scanner.isAtEnd else { return nil }
    }
}
