import Foundation

/// A date as an origin writes it (RFC 9110 section 5.6.7).
struct HTTPDateText {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    let preferred: String
    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    let obsolete: String

    private static let calendar = Calendar(identifier: .gregorian)
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// Fractions of a second are dropped.
    init(millisecondsSince1970 milliseconds: Int64) {
        let date = Date(timeIntervalSince1970: (TimeInterval(milliseconds) / 1000).rounded(.down))
        let parts = Self.calendar.dateComponents(in: .gmt, from: date)
        func digits(_ number: Int?, _ count: Int = 2) -> String {
            let text = "\(number ?? 0)"
            return String(repeating: "0", count: max(0, count - text.count)) + text.suffix(count)
        }
        let weekday = Self.days[(parts.weekday ?? 1) - 1]
        let month = Self.months[(parts.month ?? 1) - 1]
        let time = "\(digits(parts.hour)):\(digits(parts.minute)):\(digits(parts.second)) GMT"
        preferred = "\(weekday.prefix(3)), \(digits(parts.day)) \(month) \(digits(parts.year, 4)) \(time)"
        obsolete = "\(weekday), \(digits(parts.day))-\(month)-\(digits(parts.year)) \(time)"
    }
}
