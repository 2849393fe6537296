public import Foundation

extension ImageMetadata {
    /// The date and time at which an image was taken, as clocks at that place showed it.
    ///
    /// Many cameras don't record the time zone, so the exact moment isn't always known; see ``date``.
    public struct CaptureDate: Sendable, Hashable, CustomStringConvertible {
        /// The year, of the Gregorian calendar.
        public let year: Int
        /// The month, from 1.
        public let month: Int
        /// The day of the month, from 1.
        public let day: Int
        /// The hour, from 0 to 23.
        public let hour: Int
        /// The minute, from 0 to 59.
        public let minute: Int
        /// The second, from 0 to 60.
        public let second: Int
        /// The fraction of the second, in nanoseconds.
        public private(set) var nanosecond = 0
        /// The offset of the local time from UTC, in seconds, positive if it was ahead; nil if the file doesn't say.
        public private(set) var secondsFromUTC: Int?

        /// The seconds since 1970, as if the local time were UTC.
        private let secondsSince1970: Int64

        /// The moment; nil if the time zone isn't known.
        public var date: Date? {
            secondsFromUTC.map { offset in
                Date(timeIntervalSince1970: Double(secondsSince1970) - Double(offset) + Double(nanosecond) / 1e9)
            }
        }

        /// The date and time in ISO 8601 format, such as `2021-07-08T09:10:11.123+02:00`; without the zone if it isn't
        /// known.
        public var description: String {
            func padded(_ number: Int, _ width: Int) -> String {
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
            var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            text += "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
            if nanosecond > 0 { text += "." + Self.withoutTrailingZeros(padded(nanosecond, 9)) }
            guard let offset = secondsFromUTC else { return text }
            let minutes = abs(offset) / 60
            return text + (offset < 0 ? "-" : "+") + "\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
        }
    }
}

extension ImageMetadata.CaptureDate {
    /// Parses a date in the format of EXIF, such as `2021:07:08 09:10:11`, or of XMP, such as
    /// `2021-07-08T09:10:11.5+02:00`.
    ///
    /// Returns nil for a day that doesn't exist, or without a time. A zone that can't be parsed is taken as unknown.
    ///
    /// - Parameters:
    ///   - text: The date and time.
    ///   - fraction: The digits of the fraction of a second, which EXIF stores separately; nil to look in `text`.
    ///   - zone: The offset from UTC, such as `+02:00`, which EXIF stores separately; nil to look in `text`.
    public init?(_ text: String, fraction: String? = nil, zone: String? = nil) {
        var scanner = FieldScanner(text)
        func skip(_ one: StaticString, _ other: StaticString) -> Bool { scanner.skip(one) || scanner.skip(other) }
        guard let year = scanner.number(digits: 4), skip(":", "-"), let month = scanner.number(digits: 2),
            skip(":", "-"), let day = scanner.number(digits: 2), skip(" ", "T"),
            let hour = scanner.number(digits: 2), scanner.skip(":"), let minute = scanner.number(digits: 2)
        else { return nil }
        var second = 0
        if scanner.skip(":") {
            guard let number = scanner.number(digits: 2) else { return nil }
            second = number
        }
        guard (1...12).contains(month), hour < 24, minute < 60, second <= 60,
            let days = HTTPDate.seconds(year: year, month: month - 1, day: day, time: 0)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
        secondsSince1970 = days + Int64((hour * 60 + minute) * 60 + second)
        let rest = text.drop { $0 != "." }.dropFirst()
        nanosecond = Self.nanoseconds(fraction ?? String(rest.prefix(while: \.isNumber)))
        secondsFromUTC = Self.offset(zone ?? String(text.dropFirst(16).drop { !"Z+-".contains($0) }))
    }

    fileprivate static func withoutTrailingZeros(_ digits: String) -> Substring {
        digits.lastIndex { $0 != "0" }.map { digits[...$0] } ?? ""
    }

    private static func nanoseconds(_ digits: String) -> Int {
        let digits = digits.utf8.prefix(while: \.isDigit).prefix(9)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) } * (digits.count..<9).reduce(1) { power, _ in power * 10 }
    }

    /// No zone is farther than 14 hours from UTC.
    private static func offset(_ zone: String) -> Int? {
        if zone == "Z" { return 0 }
        var scanner = FieldScanner(zone)
        let isAhead = scanner.skip("+")
        guard isAhead || scanner.skip("-"), let hours = scanner.number(digits: 2), scanner.skip(":"),
            let minutes = scanner.number(digits: 2), scanner.isAtEnd, hours <= 14, minutes < 60
        else { return nil }
        return (isAhead ? 60 : -60) * (hours * 60 + minutes)
    }
}
