import Synchronization

/// Identifies a load in events. Unique within the process; later loads have larger numbers.
public struct LoadID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Never 0.
    let number: UInt64

    private static let last = Atomic<UInt64>(0)

    /// Creates a new id.
    package init() { number = Self.last.add(1, ordering: .relaxed).newValue }

    init(number: UInt64) { self.number = number }

    /// The number in decimal digits.
    public var description: String { "\(number)" }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
