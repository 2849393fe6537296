/// Merges reports of memory pressure that belong together: systems report one shortage in several ways, and each report
/// would trim what the one before has left.
struct PressureBurst: Sendable {
    /// The time during which reports belong together.
    private let interval: Duration
    /// The time of the first report of the current burst; nil before the first one.
    private var start: Duration?
    /// The fraction that the current burst has left.
    private var kept = 1.0

    init(interval: Duration = .seconds(1)) { self.interval = interval }

    /// Takes a report.
    ///
    /// - Parameter fraction: The fraction of the cache that may be left. Less than 0 and NaN mean 0.
    /// - Returns: The fraction to trim to, given that earlier reports of the burst have been followed; nil if they have
    ///   left no more than that.
    mutating func take(_ fraction: Double, at now: Duration) -> Double? {
        let fraction = fraction > 0 ? fraction : 0
        // If the clock was set back, a new burst begins.
        if let start, start <= now, now - start < interval {
            guard fraction < kept else { return nil }
        } else {
            start = now
            kept = 1
            guard fraction < 1 else { return 1 }
        }
        defer { kept = fraction }
        return fraction / kept
    }
}
