/// Order statistics of a set of samples.
struct Statistics {
    private let sorted: [Double]

    init(_ samples: [Double]) {
        sorted = samples.sorted()
    }

    /// The middle sample, or the mean of the two middle samples; nil without samples.
    var median: Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    var p95: Double? { percentile(95) }

    /// The smallest sample that is at least as large as `percent` % of the samples (nearest rank); nil without samples.
    func percentile(_ percent: Int) -> Double? {
        guard !sorted.isEmpty else { return nil }
        // Integers are used because 0.95 isn't exact in binary, and 0.95 × 20 must be rank 19.
        let rank = (sorted.count * percent + 99) / 100
        return sorted[rank - 1]
    }
}
