/// A date in an HTTP header field (RFC 9110 section 5.6.7), in whole seconds.
package struct HTTPDate: Hashable, Sendable {
    package let secondsSince1970: Int64

    /// Parses the preferred format and the two obsolete ones. Returns nil for anything else and for a day that doesn't
    /// exist.
    ///
    /// Case is ignored, and the time zone is always GMT (RFC 9111 section 4.2). The day of the week need not match the
    /// date.
    ///
    /// - Parameter now: The current time in seconds since 1970. A two-digit year is the latest one that is at most 50
    ///   years ahead.
    package init?(_ text: String, now: Int64) {
        var scanner = FieldScanner(text)
        let day = scanner.letters()
        let seconds: Int64?
        if Self.longDays.contains(day) {
            seconds = Self.rfc850Date(&scanner, now: now)
        } else if Self.longDays.contains(where: { $0.prefix(3) == day }) {
            seconds = scanner.skip(",") ? Self.fixedDate(&scanner) : Self.asctimeDate(&scanner)
        } else {
            return nil
        }
        guard let seconds, scanner.isAtEnd else { return nil }
        secondsSince1970 = seconds
    }

    // MARK: The formats, after the day of the week

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixedDate(_ scanner: inout FieldScanner) -> Int64? {
        guard scanner.skip(" "), let day = scanner.number(digits: 2), scanner.skip(" "),
            let month = month(&scanner), scanner.skip(" "), let year = scanner.number(digits: 4), scanner.skip(" "),
            let time = time(&scanner), scanner.skip(" GMT")
        else { return nil }
        return seconds(year: year, month: month, day: day, time: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850Date(_ scanner: inout FieldScanner, now: Int64) -> Int64? {
        guard scanner.skip(", "), let day = scanner.number(digits: 2), scanner.skip("-"),
            let month = month(&scanner), scanner.skip("-"), let year = scanner.number(digits: 2), scanner.skip(" "),
            let time = time(&scanner), scanner.skip(" GMT")
        else { return nil }
        let latest = min(max(now, -endOfTime), endOfTime) + 50 * meanYear
        for year in stride(from: 9900 + year, through: year, by: -100) {
            if let seconds = seconds(year: year, month: month, day: day, time: time), seconds <= latest {
                return seconds
            }
        }
        return nil
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctimeDate(_ scanner: inout FieldScanner) -> Int64? {
        guard scanner.skip(" "), let month = month(&scanner), scanner.skip(" "),
            let day = scanner.skip(" ") ? scanner.number(digits: 1) : scanner.number(digits: 2), scanner.skip(" "),
            let time = time(&scanner), scanner.skip(" "), let year = scanner.number(digits: 4)
        else { return nil }
        return seconds(year: year, month: month, day: day, time: time)
    }

    /// The zero-based number of the month.
    private static func month(_ scanner: inout FieldScanner) -> Int? { months.firstIndex(of: scanner.letters()) }

    /// The seconds since midnight. A leap second counts as the first second of the next minute.
    private static func time(_ scanner: inout FieldScanner) -> Int? {
        guard let hour = scanner.number(digits: 2), scanner.skip(":"), let minute = scanner.number(digits: 2),
            scanner.skip(":"), let second = scanner.number(digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    // MARK: The calendar

    /// Seconds since 1970; nil for a day that doesn't exist.
    ///
    /// - Parameters:
    ///   - month: From 0 to 11.
    ///   - time: Seconds since midnight.
    static func seconds(year: Int, month: Int, day: Int, time: Int) -> Int64? {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let monthLength = daysBeforeMonth[month + 1] - daysBeforeMonth[month] + (isLeapYear && month == 1 ? 1 : 0)
        guard (1...monthLength).contains(day) else { return nil }
        // Shifted by 400 years, after which the calendar repeats, so that year 0 isn't an exception.
        let years = year + 399
        let daysBeforeYear = 365 * years + years / 4 - years / 100 + years / 400 - 865_259
        let days = daysBeforeYear + daysBeforeMonth[month] + (isLeapYear && month > 1 ? 1 : 0) + day - 1
        return Int64(days * 86_400 + time)
    }

    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// The number of days before each month of a common year. The last element stands for the next year.
    private static let daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
    private static let meanYear: Int64 = 31_556_952
    /// Beyond the year 9999.
    private static let endOfTime: Int64 = 10_000 * meanYear
}
