/// A time in seconds as a fraction of two 16-bit numbers.
struct SecondsFraction: Equatable {
    let numerator: Int
    let denominator: Int

    /// Creates the best fraction among the convergents of the time's continued fraction. Exact to the nanosecond where
    /// possible, as for thirtieths of a second and any whole number of milliseconds up to a minute.
    ///
    /// - Parameter time: not negative; lowered to 65,535 seconds, the largest fraction.
    init(nearest time: Duration) {
        let value = min(time, .seconds(65_535)) / .seconds(1)
        var (rest, before, now) = (value, (0, 1), (1, 0))
        repeat {
            let whole = rest.rounded(.down)
            guard whole <= 65_535 else { break }
            let next = (Int(whole) * now.0 + before.0, Int(whole) * now.1 + before.1)
            guard max(next.0, next.1) <= 65_535 else { break }
            (before, now) = (now, next)
            rest = 1 / (rest - whole)
        } while abs(value - Double(now.0) / Double(now.1)) >= 1e-9
        (numerator, denominator) = now.1 == 0 ? (65_535, 1) : now
    }

    /// Whether the fraction equals `time`, to the nanosecond.
    func equals(_ time: Duration) -> Bool {
        let difference = Duration.nanoseconds(numerator * 1_000_000_000 / denominator) - time
        return difference < .nanoseconds(1) && difference > .nanoseconds(-1)
    }
}
