import Foundation

/// Dates as they are printed: to the second, in UTC.
enum CacheMoment {
    static func text(_ date: Date) -> String {
        // What stands in a file may be no date that a calendar knows.
        let seconds = min(max(0, date.timeIntervalSince1970), 253_402_300_799)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}

extension Int {
    /// Sizes are whatever the files claim: their sum stays where it can't grow.
    static func saturatingSum(_ numbers: some Sequence<Int>) -> Int {
        numbers.reduce(0) { sum, number in
            let (result, overflows) = sum.addingReportingOverflow(number)
            return overflows ? .max : result
        }
    }
}
