/// A duration in whole nanoseconds, which takes half the memory of a `Duration`. From -292 to 292 years.
struct Nanoseconds: Sendable, Equatable {
    private let count: Int64

    /// Rounds toward zero. Durations outside the range are clamped to it.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLongWithRest) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        count = isTooLong || isTooLongWithRest ? (seconds < 0 ? .min : .max) : sum
    }

    var duration: Duration { .nanoseconds(count) }
}
