/// The table on standard output. Its widths are known in advance, so each row can be printed once it is measured.
struct Table {
    private struct Column {
        let title: String
        let width: Int
        let alignsRight: Bool
    }

    private let columns: [Column]

    /// A table for the results of `cases`.
    static func results(of cases: [BenchCase]) -> Table {
        Table(columns: [
            nameColumn(cases),
            Column(title: "ours", width: 8, alignsRight: true),
            Column(title: "p95", width: 8, alignsRight: true),
            baselineColumn(cases),
            Column(title: "", width: 8, alignsRight: true),
            Column(title: "ratio", width: 5, alignsRight: true),
            targetColumn(cases),
            Column(title: "", width: 8, alignsRight: false),
            Column(title: "allocs", width: 7, alignsRight: true),
            Column(title: "samples", width: 7, alignsRight: true),
        ])
    }

    /// A table that describes what `cases` would measure.
    static func list(of cases: [BenchCase]) -> Table {
        Table(columns: [nameColumn(cases), baselineColumn(cases), targetColumn(cases)])
    }

    var header: String { line(columns.map(\.title)) }

    func row(_ benchCase: BenchCase) -> String {
        let multiple = benchCase.timesRatioOf.map { " × the ratio of \($0)" } ?? ""
        return line([
            benchCase.name, benchCase.baselineName ?? "", Self.target(benchCase.target, of: benchCase) + multiple,
        ])
    }

    func row(_ result: CaseResult, of benchCase: BenchCase) -> String {
        line([
            result.name,
            NumberFormat.quantity(result.ours, result.unit),
            NumberFormat.quantity(result.oursP95, result.unit),
            result.baselineName ?? "",
            result.baseline.map { NumberFormat.quantity($0, result.unit) } ?? "",
            result.ratio.map(NumberFormat.ratio) ?? "",
            Self.target(result.target, of: benchCase),
            result.met.map { $0 ? "✓ met" : "✗ missed" } ?? "",
            result.allocations.map(NumberFormat.count) ?? "n/a",
            String(result.samples),
        ])
    }

    private static func nameColumn(_ cases: [BenchCase]) -> Column {
        Column(title: "case", width: cases.map(\.name.count).max() ?? 0, alignsRight: false)
    }

    private static func baselineColumn(_ cases: [BenchCase]) -> Column {
        Column(title: "baseline", width: cases.compactMap(\.baselineName?.count).max() ?? 0, alignsRight: false)
    }

    private static func targetColumn(_ cases: [BenchCase]) -> Column {
        Column(title: "target", width: cases.map { target($0.target, of: $0).count }.max() ?? 0, alignsRight: true)
    }

    /// A ratio, or a quantity if there is no baseline.
    private static func target(_ target: Double?, of benchCase: BenchCase) -> String {
        guard let target else { return "" }
        let limit =
            benchCase.baselineName == nil
            ? NumberFormat.quantity(target, benchCase.unit) : NumberFormat.ratio(target)
        return "≤ \(limit)"
    }

    private func line(_ cells: [String]) -> String {
        let padded = zip(columns, cells).map { column, cell in
            let width = max(column.width, column.title.count)
            let padding = String(repeating: " ", count: max(0, width - cell.count))
            return column.alignsRight ? padding + cell : cell + padding
        }
        var line = padded.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }
}
