/// One line of the report. Fields that don't apply are written as null.
struct CaseResult: Encodable {
    let name: String
    let unit: MeasuredUnit
    let ours: Double
    let oursP95: Double
    let baselineName: String?
    let baseline: Double?
    let ratio: Double?
    let target: Double?
    let met: Bool?
    let samples: Int
    let allocations: Double?

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

    enum CodingKeys: String, CodingKey {
        case name, unit, ours
        case oursP95 = "ours_p95"
        case baselineName = "baseline_name"
        case baseline, ratio, target, met, samples, allocations
    }

    /// The synthesised method would omit nulls.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try container.encode(ours, forKey: .ours)
        try container.encode(oursP95, forKey: .oursP95)
        try container.encode(baselineName, forKey: .baselineName)
        try container.encode(baseline, forKey: .baseline)
        try container.encode(ratio, forKey: .ratio)
        try container.encode(target, forKey: .target)
        try container.encode(met, forKey: .met)
        try container.encode(samples, forKey: .samples)
        try container.encode(allocations, forKey: .allocations)
    }
}
