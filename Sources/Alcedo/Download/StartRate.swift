/// How many downloads may start in a time, over all hosts, however many slots are free.
///
/// After a pause, ``burst`` downloads start at once, and from then on ``perSecond`` in each second.
public struct StartRate: Sendable, Hashable {
    /// Starts per second, in the long run; at least 0.001. Infinity is no limit.
    public var perSecond: Double
    /// Starts at one moment, at most; from 1 to 1,000,000.
    public var burst: Int

    /// - Parameters:
    ///   - perSecond: starts per second, in the long run.
    ///   - burst: starts at one moment, at most. Default 1.
    public init(perSecond: Double, burst: Int = 1) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
