/// Hit ratios in memory, from replayed traces.
enum HitRatioCases {
    static let all: [BenchCase] =
        files + generated + [mean(.objects), mean(.bytes)] + HitMeasure.allCases.map(belowClock)

    /// Each file and each size as a separate case.
    private static let files: [BenchCase] = TraceFile.all.flatMap { file in
        let isHeldToTargets = file.name == "adaptsize-web"
        return HitMeasure.allCases.flatMap { measure in
            TraceSource.shares.map { share in
                comparison(
                    of: [file.name], shares: [share], measure, named: "\(file.name)-\(share)",
                    target: isHeldToTargets ? measure == .objects ? 0.96 : 1 : nil)
            }
        }
    }

    /// One case per trace, over all sizes.
    private static let generated: [BenchCase] = GeneratedTraces.names.flatMap { name in
        HitMeasure.allCases.map { comparison(of: [name], shares: TraceSource.shares, $0, named: name, target: nil) }
    }

    private static func mean(_ measure: HitMeasure) -> BenchCase {
        comparison(
            of: ["feed", "zipf"], shares: TraceSource.shares, measure, named: "feed-and-zipf",
            target: measure == .objects ? 0.9 : 0.98)
    }

    /// Alcedo's misses and those of LRU, for each trace and size.
    private static func comparison(
        of traces: [String], shares: [Int], _ measure: HitMeasure, named name: String, target: Double?
    ) -> BenchCase {
        let suffix = measure == .bytes ? "-bytes" : ""
        return .counted("memory/hit-ratio-\(name)\(suffix)", target: target, baselineName: "LRU's misses") {
            let cells = try ReplayTable.shared.get().cells.filter {
                traces.contains($0.trace) && shares.contains($0.share)
            }
            return Measurement(
                ours: cells.map { 100 * (1 - $0.ratio(of: .ours)[measure]) },
                baseline: cells.map { 100 * (1 - $0.ratio(of: .list(.lru))[measure]) }, isCounted: true)
        }
    }

    /// The number of percentage points by which Alcedo's hit ratio is below that of CLOCK in the worst case, over all
    /// traces and sizes.
    ///
    /// The byte hit ratio is below that of CLOCK in a small cache for a feed; decision 12 explains why.
    private static func belowClock(_ measure: HitMeasure) -> BenchCase {
        let suffix = measure == .bytes ? "-bytes" : ""
        return .counted("memory/hit-ratio-below-clock\(suffix)", target: 1) {
            let differences = try ReplayTable.shared.get().cells.map { cell in
                100 * (cell.ratio(of: .list(.clock))[measure] - cell.ratio(of: .ours)[measure])
            }
            return Measurement(ours: differences.max().map { [$0] } ?? [], isCounted: true)
        }
    }
}
