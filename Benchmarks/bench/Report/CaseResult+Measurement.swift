extension CaseResult {
    /// Returns nil if nothing was measured.
    ///
    /// - Parameter reference: The ratio by which the target is multiplied.
    init?(_ benchCase: BenchCase, _ measurement: Measurement, reference: Double = 1) {
        let statistics = Statistics(measurement.ours)
        guard let median = statistics.median, let p95 = statistics.p95 else { return nil }
        name = benchCase.name
        unit = benchCase.unit
        ours = median
        oursP95 = p95
        baselineName = benchCase.baselineName
        baseline = Statistics(measurement.baseline).median
        ratio = measurement.ratio
        target = benchCase.target.map { $0 * reference }
        samples = measurement.ours.count
        allocations = measurement.allocations
        // A case without a ratio hasn't met its target.
        let compared = benchCase.baselineName == nil ? median : measurement.ratio ?? .infinity
        met = target.map { compared <= $0 }
    }
}
