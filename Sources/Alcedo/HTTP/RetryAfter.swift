/// The delay that a server asks for before the next request (RFC 9110 section 10.2.3).
package struct RetryAfter: Hashable, Sendable {
    /// The delay, never negative and at most 2³¹ seconds.
    package let delay: Duration

    /// Parses a field value: a number of seconds or a date. Returns nil for anything else. If several fields give
    /// several numbers, the largest counts.
    ///
    /// - Parameter now: The current time in seconds since 1970. A date in the past means no delay.
    package init?(_ text: String, now: Int64) {
        let seconds: Int64
        if let number = Self.number(text) {
            seconds = Int64(number)
        } else if let date = HTTPDate(text, now: now) {
            let (distance, isHuge) = date.secondsSince1970.subtractingReportingOverflow(now)
            seconds = isHuge ? (now < 0 ? .max : 0) : distance
        } else {
            return nil
        }
        delay = .seconds(min(max(0, seconds), Int64(Freshness.mostSeconds)))
    }

    private static func number(_ text: String) -> Int? {
        var scanner = FieldScanner(text)
        guard var largest = scanner.number() else { return nil }
        while !scanner.isAtEnd {
            scanner.skipBlanks()
            guard scanner.skip(",") else { return nil }
            scanner.skipBlanks()
            guard let number = scanner.number() else { return nil }
            largest = max(largest, number)
        }
        return largest
    }
}
