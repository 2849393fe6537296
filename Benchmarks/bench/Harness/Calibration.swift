/// Finds the number of iterations per sample.
///
/// Both sides get the same number, so the faster one must last long enough for the clock, and the slower one must not
/// use up the case's time.
struct Calibration {
    /// The minimum duration of the faster side's sample.
    private let enough = Duration.milliseconds(10)
    /// The duration at which the calibration aims, which leaves a margin.
    private let aim = Duration.milliseconds(15)
    /// The maximum duration of the slower side's sample.
    private let limit = Duration.milliseconds(50)
    private let largest = 1 << 30

    /// The number to try next; nil if `iterations` is suitable.
    func next(after iterations: Int, faster: Duration, slower: Duration) -> Int? {
        guard faster < enough, slower < limit, iterations < largest else { return nil }
        // The first calls are cold and look slow, so the estimate is too low and is repeated.
        let smallest = Duration.nanoseconds(1)
        let growth = min(aim / max(faster, smallest), limit / max(slower, smallest), 100)
        let next = min(Int(Double(iterations) * growth), largest)
        return next > iterations ? next : nil
    }
}
