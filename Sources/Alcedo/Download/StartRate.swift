/// How many downloads may start in a time, over all hosts, however many slots are free.
///
/// After a pause ``burst`` of them start at once, and from then on ``perSecond`` in each second.
public struct StartRate: Sendable, Hashable {
    /// Starts per second, in the long run. Less than 0.001 counts as 0.001, so that each one starts some time;
    /// infinity, or what is not a number, is no limit.
    public var perSecond: Double
    /// Starts at one moment, at most; counts as at least 1 and at most 1,000,000.
    public var burst: Int

    /// - Parameters:
    ///   - perSecond: starts per second, in the long run.
    ///   - burst: starts at one moment, at most. Default 1.
    public init(perSecond: Double, burst: Int = 1) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
