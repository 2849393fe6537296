/// Order statistics of a set of samples.
struct Statistics {
    private let sorted: [Double]

    init(_ samples: [Double]) {
        sorted = samples.sorted()
    }

    /// The middle sample, or the mean of the two middle ones; nil without samples.
    var median: Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The smallest sample that at least 95 % of the samples do not exceed (nearest rank); nil without samples.
    var p95: Double? {
        guard !sorted.isEmpty else { return nil }
        // Whole numbers: 0.95 has no exact binary form, and 0.95 × 20 must be rank 19.
        let rank = (sorted.count * 95 + 99) / 100
        return sorted[rank - 1]
    }
}
