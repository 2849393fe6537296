/// The results of a run for both designs.
struct ClassicTable {
    private let results: [String: CaseResult]

    init(_ results: [CaseResult]) {
        self.results = Dictionary(results.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The result of a case; nil if the case failed.
    func result(_ scenario: ClassicScenario, _ measure: ClassicMeasure) -> CaseResult? {
        results[measure.caseName(of: scenario)]
    }

    /// The number of downloads in the mixed scenario.
    var transfers: CaseResult? { results[ClassicCases.transfersName] }
}
