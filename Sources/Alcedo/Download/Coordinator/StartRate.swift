/// The maximum rate at which downloads start over all hosts, however many slots are free.
///
/// After a pause, ``burst`` downloads start immediately. From then on, ``perSecond`` downloads start per second.
public struct StartRate: Sendable, Hashable {
    /// The maximum number of starts per second in the long run. At least 0.001. Infinity is no limit.
    public var perSecond: Double
    /// The maximum number of starts at one moment. From 1 to 1,000,000.
    public var burst: Int

    /// Creates a rate.
    ///
    /// - Parameters:
    ///   - perSecond: The maximum number of starts per second in the long run.
    ///   - burst: The maximum number of starts at one moment. Default 1.
    public init(perSecond: Double, burst: Int = 1) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
