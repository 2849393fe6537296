/// A date in a cookie (RFC 6265 section 5.1.1), in whole seconds: a time, a day, a month and a year among any other
/// text.
///
/// The month may be anywhere.
///
/// Servers send `Wed, 09-Jun-21 10:18:14 GMT` and the like, which ``HTTPDate`` doesn't parse.
struct CookieDate {
    let secondsSince1970: Int64

    init?(_ text: String) {
        var parts = Parts()
        for word in text.utf8.split(whereSeparator: Self.isDelimiter) { parts.take(word) }
        guard let date = parts.date else { return nil }
        secondsSince1970 = date.secondsSince1970
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The parts found so far, each with as many digits as ``HTTPDate`` expects.
    private struct Parts {
        private var time: String?
        private var day: String?
        private var month: String?
        private var year: String?

        mutating func take(_ word: Substring.UTF8View) {
            if time == nil, let found = Self.time(word) {
                time = found
            } else if day == nil, let found = Self.number(word, of: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(word) {
                month = found
            } else if year == nil, let found = Self.number(word, of: 2...4) {
                year = found.utf8.count > 2 ? found : (found < "70" ? "20" : "19") + found
            }
        }

        /// Nil unless all parts are there and the day exists.
        var date: HTTPDate? {
            guard let time, let day, let month, let year, year.utf8.count == 4, year >= "1601" else { return nil }
            // The day of the week is ignored, and so is the current time with a four-digit year.
            return HTTPDate("Sun, \(day) \(month) \(year) \(time) GMT", now: 0)
        }

        private static func time(_ word: Substring.UTF8View) -> String? {
            let parts = word.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            let numbers = parts.compactMap { number($0, of: 1...2) }
            return parts.count == 3 && numbers.count == 3 ? numbers.joined(separator: ":") : nil
        }

        private static func month(_ word: Substring.UTF8View) -> String? {
            let name = String(decoding: word.prefix(3), as: UTF8.self).lowercased()
            return HTTPDate.months.contains(name) ? name : nil
        }

        /// The digits at the beginning of `word`, padded to at least two, if their count is in `lengths`.
        private static func number(_ word: Substring.UTF8View, of lengths: ClosedRange<Int>) -> String? {
            let digits = word.prefix(while: \.isDigit)
            guard lengths.contains(digits.count) else { return nil }
            return (digits.count == 1 ? "0" : "") + String(decoding: digits, as: UTF8.self)
        }
    }
}
