import Foundation

/// Formats numbers for people.
enum NumberFormat {
    /// Formats a value with three significant digits and the shortest unit: 21.3 ns, 4.05 µs, 1.20 MB (10⁶ bytes).
    static func quantity(_ value: Double, _ unit: MeasuredUnit) -> String {
        if unit == .count { return fixed(value, value == value.rounded() ? 0 : 1) }
        let names =
            switch unit {
            case .nanoseconds: ["ns", "µs", "ms", "s"]
            case .bytes: ["B", "KB", "MB", "GB"]
            case .percent: ["%"]
            case .decibels: ["dB"]
            case .count: [""]
            }
        var scaled = value
        var index = 0
        // A value that would be printed as 1000 moves to the next unit too.
        while scaled >= 999.5, index < names.count - 1 {
            scaled /= 1_000
            index += 1
        }
        let digits = unit == .bytes && index == 0 ? 0 : decimals(for: scaled)
        return "\(fixed(scaled, digits)) \(names[index])"
    }

    /// Uses two decimals, because differences below a hundredth are noise, or three where two would show nothing.
    static func ratio(_ value: Double) -> String { fixed(value, value < 0.0995 ? 3 : value < 99.95 ? 2 : 0) }

    /// Allocator calls per operation.
    static func count(_ value: Double) -> String {
        value < 99.95 ? fixed(value, 1) : fixed(value, 0)
    }

    private static func decimals(for value: Double) -> Int {
        switch value {
        case ..<9.995: 2
        case ..<99.95: 1
        default: 0
        }
    }

    /// Always uses this number of decimals.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
