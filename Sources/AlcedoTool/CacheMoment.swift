import Foundation

/// Formats dates for printing, with a precision of seconds, in UTC.
enum CacheMoment {
    static func text(_ date: Date) -> String {
        // A file may contain a date outside the range of the calendar.
        let seconds = min(max(0, date.timeIntervalSince1970), 253_402_300_799)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}

extension Int {
    /// The sum of sizes that files claim. It saturates instead of overflowing, because they may claim anything.
    static func saturatingSum(_ numbers: some Sequence<Int>) -> Int {
        numbers.reduce(0) { sum, number in
            let (result, overflows) = sum.addingReportingOverflow(number)
            return overflows ? .max : result
        }
    }
}
