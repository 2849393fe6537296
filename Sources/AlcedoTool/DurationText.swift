import Foundation

/// Formats durations for people.
enum DurationText {
    /// Formats a duration in milliseconds or seconds, with as many digits as are useful: 0.42 ms, 12.3 ms, 1.24 s.
    static func of(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return switch milliseconds {
        case ..<10: String(format: "%.2f ms", milliseconds)
        case ..<1_000: String(format: "%.1f ms", milliseconds)
        default: String(format: "%.2f s", milliseconds / 1_000)
        }
    }

    /// Formats a duration in its largest unit and the next smaller one, rounded down: 3 h 12 min.
    ///
    /// - Parameter seconds: The duration, which isn't negative.
    static func of(_ seconds: Int64) -> String {
        let units: [(length: Int64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
        guard let first = units.firstIndex(where: { seconds >= $0.length }) else { return "0 s" }
        var rest = seconds
        var parts: [String] = []
        for unit in units[first...].prefix(2) {
            if rest >= unit.length { parts.append("\(rest / unit.length) \(unit.name)") }
            rest %= unit.length
        }
        return parts.joined(separator: " ")
    }
}
