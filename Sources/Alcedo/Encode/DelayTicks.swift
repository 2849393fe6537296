/// Converts delays to whole ticks of a format's clock, rounding so that errors don't accumulate over the animation.
struct DelayTicks {
    private let tick: Duration
    /// Time since the start of the animation: as requested, and as written in ticks.
    private var due = Duration.zero
    private var written = Duration.zero

    init(of tick: Duration) { self.tick = tick }

    /// Converts the next delay, which must not be negative, to ticks.
    ///
    /// A delay of more than 10 ms, which browsers respect, stays above 10 ms; a delay of 10 ms or less, which they
    /// replace by 100 ms, stays within 10 ms.
    mutating func next(_ delay: Duration) -> Int {
        due += delay
        let short = Int(Self.shortest / tick)
        let nearest = Int(((due - written) / tick).rounded())
        let ticks = delay > Self.shortest ? max(nearest, short + 1) : min(max(nearest, 0), short)
        written += tick * ticks
        return ticks
    }

    private static let shortest = Duration.milliseconds(10)
}
