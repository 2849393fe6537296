/// How urgent a request is among those that wait for a download.
///
/// The more urgent goes first; within one priority the hosts take turns. A priority says who starts next, and neither
/// slows down nor stops a download that runs.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// For prefetch of what may never be shown. Limited like ``low``.
    case veryLow
    /// For prefetch. Together with ``veryLow``, never more than half of the slots (but one at least), so that there is
    /// always room for what somebody waits for.
    case low
    /// For what is about to be shown: the default.
    case normal
    /// For what is on the screen.
    case high
    /// For what the user has just asked for.
    case veryHigh

    /// Whether it is below what somebody looks at, and may take no more than half of the slots.
    package var isBackground: Bool { self < .normal }

    /// Whether `first` is less urgent than `second`.
    public static func < (first: RequestPriority, second: RequestPriority) -> Bool { first.rawValue < second.rawValue }
}
