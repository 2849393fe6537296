/// One line of the report. Fields that don't apply are written as null.
struct CaseResult: Codable {
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
