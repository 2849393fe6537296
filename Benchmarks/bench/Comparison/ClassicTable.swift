/// What a run measured of both designs.
struct ClassicTable {
    private let results: [String: CaseResult]

    init(_ results: [CaseResult]) {
        self.results = Dictionary(results.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Nil if the case failed.
    func result(_ scenario: ClassicScenario, _ measure: ClassicMeasure) -> CaseResult? {
        results[measure.caseName(of: scenario)]
    }

    /// The downloads in the mixed scenario.
    var transfers: CaseResult? { results[ClassicCases.transfersName] }
}
