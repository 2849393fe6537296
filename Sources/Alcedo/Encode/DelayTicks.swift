/// Turns delays into whole ticks of a format's clock, each rounded so that no error adds up over the animation.
struct DelayTicks {
    private let tick: Duration
    /// From the start of the animation: what should have passed, and what the ticks make of it.
    private var due = Duration.zero
    private var told = Duration.zero

    init(of tick: Duration) { self.tick = tick }

    /// The next delay, which is not negative, in ticks. One that browsers heed, of more than 10 ms, stays one of those,
    /// and one that they show for 100 ms stays one of those.
    mutating func next(_ delay: Duration) -> Int {
        due += delay
        let short = Int(Self.shortest / tick)
        let nearest = Int(((due - told) / tick).rounded())
        let ticks = delay > Self.shortest ? max(nearest, short + 1) : min(max(nearest, 0), short)
        told += tick * ticks
        return ticks
    }

    private static let shortest = Duration.milliseconds(10)
}
