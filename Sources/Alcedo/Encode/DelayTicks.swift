/// Converts delays to whole ticks of a format's clock, rounding so that errors don't accumulate over the animation. A
/// delay that exceeds the longest one is shortened to it.
struct DelayTicks {
    private let tick: Duration
    private let most: Int
    /// Time since the start of the animation: as requested, and as written in ticks.
    private var due = Duration.zero
    private var written = Duration.zero

    /// - Parameter most: the longest delay that the format holds, in ticks.
    init(of tick: Duration, most: Int) { (self.tick, self.most) = (tick, most) }

    /// Converts the next delay, which must not be negative, to ticks.
    ///
    /// A delay of more than 10 ms, which browsers respect, stays above 10 ms; a delay of 10 ms or less, which they
    /// replace with 100 ms, stays within 10 ms.
    mutating func next(_ delay: Duration) -> Int {
        due += min(delay, tick * most)
        let short = Int(Self.shortest / tick)
        let nearest = Int(((due - written) / tick).rounded())
        let ticks = delay > Self.shortest ? min(max(nearest, short + 1), most) : min(max(nearest, 0), short)
        written += tick * ticks
        return ticks
    }

    private static let shortest = Duration.milliseconds(10)
}
