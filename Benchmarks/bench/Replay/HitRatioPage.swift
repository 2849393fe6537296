/// The hit ratios as a table for people, in Markdown.
struct HitRatioPage {
    let table: ReplayTable

    var text: String {
        var lines = [
            "# Hit ratios of the memory cache", "",
            "Traces replayed through the memory cache's table and through three known policies, by",
            "`make hit-ratio`. CLOCK is Nuke's policy. The size is a part of all bytes of the trace's objects. In",
            "each cell: hits in percent of the requests / of their bytes.",
            "`Docs/Decisions/0012-what-memory-forgets.md` explains the choice. `Benchmarks/bench/Replay` describes the",
            "traces.", "",
            "![Bars of the same numbers](memory-hit-ratio.svg)", "",
            row(["Trace", "Size"] + ReplayedPolicy.all.map(\.name) + ["Misses to LRU's"]),
            row(["---", "---:"] + ReplayedPolicy.all.map { _ in "---:" } + ["---:"]),
        ]
        lines += table.cells.map { cell in
            let ours = cell.ratio(of: .ours)
            let lru = cell.ratio(of: .list(.lru))
            let ratios = ReplayedPolicy.all.map { policy in
                let ratio = cell.ratio(of: policy)
                return "\(percent(ratio.objects)) / \(percent(ratio.bytes))"
            }
            let toLRU = HitMeasure.allCases.map { NumberFormat.ratio((1 - ours[$0]) / (1 - lru[$0])) }
            return row([cell.trace, "\(cell.share) %"] + ratios + [toLRU.joined(separator: " / ")])
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func percent(_ ratio: Double) -> String { NumberFormat.fixed(100 * ratio, 1) }
}
