/// A case as the page shows it: Alcedo's value, and the value of what it is compared with.
struct ReportRow {
    let name: String
    let unit: MeasuredUnit
    let alcedo: Double
    let baseline: Double?
    let baselineName: String?
    /// Alcedo's value relative to the baseline's.
    let ratio: Double?

    init(_ result: CaseResult) {
        (name, unit) = (result.name, result.unit)
        guard let cache = Self.otherCaches[result.name] else {
            (alcedo, baseline, ratio) = (result.ours, result.baseline, result.ratio)
            baselineName = result.baselineName
            return
        }
        // These cases measure other caches, with Alcedo as the baseline.
        (alcedo, baseline) = (result.baseline ?? 0, result.ours)
        ratio = result.ratio.map { 1 / $0 }
        baselineName = cache
    }

    private static let otherCaches = [
        "memory/others-nscache": "Foundation's NSCache", "memory/others-actor": "a plain actor",
        "memory/others-lru": "an LRU list and a lock", "memory/others-clock": "CLOCK and a lock",
    ]

    /// The part of the name before the slash.
    var area: String { String(name.prefix { $0 != "/" }) }

    /// Whether Alcedo takes more than the baseline, in the two decimals that are shown.
    var isSlower: Bool { ratio.map { ($0 * 100).rounded() > 100 } ?? false }

    /// Whether the case measures the harness.
    var isHarness: Bool { area == "harness" }

    /// Whether a page of its own has this case, so that the table needn't have it.
    var hasOwnPage: Bool { area == "classic" || name.hasPrefix("memory/hit-ratio-") }
}
