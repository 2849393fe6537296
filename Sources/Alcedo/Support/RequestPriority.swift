/// The urgency of a request among those that wait for a download.
///
/// Higher priorities start first; within one priority, hosts take turns. A priority only decides which download starts
/// next. It neither slows down nor stops a running one.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// For prefetching images that may never be shown. Limited like ``low``.
    case veryLow
    /// For prefetching.
    ///
    /// Together with ``veryLow``, it never takes more than half of the slots, in total and of each host (but at least
    /// one), so there is always room for images that users are waiting for.
    case low
    /// For images that are about to be shown. The default.
    case normal
    /// For images on the screen.
    case high
    /// For images that the user has just requested.
    case veryHigh

    /// Whether the priority is below that of visible images, and may take no more than half of the slots.
    package var isBackground: Bool { self < .normal }

    /// Whether `first` is less urgent than `second`.
    public static func < (first: RequestPriority, second: RequestPriority) -> Bool { first.rawValue < second.rawValue }
}
