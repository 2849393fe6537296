/// The measures by which both designs are compared in each scenario.
enum ClassicMeasure: String, CaseIterable {
    /// The elapsed time per request, which is the inverse of the throughput.
    case time
    case processorTime = "cpu"
    case p50
    case p99
    case threads
    case peak

    var title: String {
        switch self {
        case .time: "time per request"
        case .processorTime: "processor time per request"
        case .p50: "latency, median"
        case .p99: "latency, 99th percentile"
        case .threads: "threads at the end"
        case .peak: "peak memory"
        }
    }

    func caseName(of scenario: ClassicScenario) -> String {
        ClassicCases.prefix + scenario.rawValue + (self == .time ? "" : "-\(rawValue)")
    }
}
