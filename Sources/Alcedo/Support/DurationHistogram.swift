/// A histogram of durations.
///
/// Durations are counted in buckets, four for each power of two, from 1 µs to more than a day. A quantile is therefore
/// at most 25 % too long. Recording a duration takes a few nanoseconds and allocates only when the histogram grows.
public struct DurationHistogram: Sendable, Hashable {
    /// A range of durations.
    public struct Bucket: Sendable, Hashable {
        /// The exclusive end of the range, which begins where the previous bucket ends.
        public let upperBound: Duration
        /// The number of durations in the range, or in ``DurationHistogram/cumulativeBuckets``, before its end.
        public let count: Int
    }

    /// The number of recorded durations.
    public private(set) var count = 0
    /// The sum of the recorded durations.
    public private(set) var total = Duration.zero
    private var counts: [Int] = []

    /// 2 to the power of 38 µs is more than three days.
    private static let mostBuckets = 4 * 38

    /// Creates an empty histogram.
    public init() {}

    /// Adds one duration. A negative one counts as zero.
    public mutating func record(_ duration: Duration) {
        let duration = max(.zero, duration)
        count += 1
        total += duration
        let bucket = Self.bucket(of: duration)
        if bucket >= counts.count { counts += repeatElement(0, count: bucket + 1 - counts.count) }
        counts[bucket] += 1
    }

    /// All buckets up to the last one that isn't empty, the shortest durations first.
    public var buckets: [Bucket] {
        counts.enumerated().map { Bucket(upperBound: Self.upperBound(of: $0.offset), count: $0.element) }
    }

    /// The numbers of durations shorter than 1, 2, 4, … 32,768 ms, each including the numbers before it, as in
    /// Prometheus; see ``count`` for the total number. One millisecond is 1,024 µs here, because buckets end at powers
    /// of two.
    public var cumulativeBuckets: [Bucket] {
        (10...25).map { exponent in
            let end = 4 * (exponent - 1)
            return Bucket(upperBound: .microseconds(1 << exponent), count: counts.prefix(end).reduce(0, +))
        }
    }

    /// The average duration; nil if nothing was recorded.
    public var mean: Duration? { count == 0 ? nil : total / count }

    /// A duration that the given share of all durations doesn't exceed; nil if nothing was recorded.
    ///
    /// - Parameter share: The share, from 0 to 1; 0.5 is the median. Other values are clamped to this range.
    public func quantile(_ share: Double) -> Duration? {
        guard count > 0 else { return nil }
        // Less the rounding error of the product, such as that of 0.07 × 100.
        let exact = (share > 0 ? min(share, 1) : 0) * Double(count) * (1 - .ulpOfOne)
        let rank = max(1, Int(exact.rounded(.up)))
        var passed = 0
        for (index, number) in counts.enumerated() {
            passed += number
            if passed >= rank { return Self.upperBound(of: index) }
        }
        return nil
    }

    private static func bucket(of duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let microseconds = isTooLong ? Int.max : Int(whole) + Int(attoseconds / 1_000_000_000_000)
        if microseconds < 4 { return microseconds }
        let exponent = Int.bitWidth - 1 - microseconds.leadingZeroBitCount
        return min(4 * (exponent - 1) + (microseconds >> (exponent - 2)) & 3, mostBuckets - 1)
    }

    private static func upperBound(of bucket: Int) -> Duration {
        if bucket < 4 { return .microseconds(bucket + 1) }
        let exponent = bucket / 4 + 1
        return .microseconds((5 + bucket % 4) << (exponent - 2))
    }
}
