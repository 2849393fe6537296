/// The comparison as a table for people, in Markdown.
struct ClassicPage {
    let table: ClassicTable

    var text: String {
        let measures = ClassicMeasure.allCases
        var lines = [
            "# Alcedo and the classic design", "",
            "Written by `make classic`. Each cell is Alcedo / the classic design, medians of rounds in turn; where",
            "Alcedo takes more, the cell is bold. Times are per request, and threads and memory are those of a process",
            "that does nothing else.", "",
            "![The ratios of the same numbers](classic.svg)", "",
            row(["Scenario"] + measures.map(\.title)),
            row(["---"] + measures.map { _ in "---:" }),
        ]
        lines += ClassicScenario.allCases.map { scenario in
            row(["`\(scenario.rawValue)`"] + measures.map { cell(table.result(scenario, $0)) })
        }
        lines += [""] + ClassicScenario.allCases.map { "- `\($0.rawValue)`: \($0.explanation)" }
        lines += ["", "Downloads in `zipf`, Alcedo / the classic design: \(cell(table.transfers))."]
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func cell(_ result: CaseResult?) -> String {
        guard let result, let baseline = result.baseline else { return "" }
        let values = [result.ours, baseline].map { NumberFormat.quantity($0, result.unit) }.joined(separator: " / ")
        return (result.ratio ?? 0) > 1 ? "**\(values)**" : values
    }
}
