/// The hit ratios as an SVG bar chart: a column of panels for each trace, with requests above and bytes below.
struct HitRatioPicture {
    let table: ReplayTable

    private let panelWidth = 168.0
    private let panelHeight = 150.0
    private let left = 46.0
    private let top = 64.0
    private let gap = 44.0
    private let barWidth = 10.0

    private var traces: [String] {
        table.cells.map(\.trace).reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
    }

    var text: String {
        let width = left + Double(traces.count) * (panelWidth + 14) + 6
        let height = top + 2 * (panelHeight + gap)
        var lines = legend
        for (row, measure) in HitMeasure.allCases.enumerated() {
            let y = top + Double(row) * (panelHeight + gap)
            lines.append(SVG.label("hits, % of \(measure == .objects ? "requests" : "bytes")", x: left - 30, y: y - 8))
            for (column, trace) in traces.enumerated() {
                lines += panel(trace, measure, x: left + Double(column) * (panelWidth + 14), y: y)
            }
        }
        return SVG.document(
            width: width, height: height,
            title: "Hit ratios of Alcedo's memory cache, LRU, CLOCK and FIFO on replayed traces", lines)
    }

    private var legend: [String] {
        ReplayedPolicy.all.enumerated().flatMap { index, policy in
            let x = left + Double(index) * 90
            return [bar(x: x, y: 14, width: 12, height: 12, policy), SVG.label(policy.name, x: x + 18, y: 24)]
        }
    }

    private func panel(_ trace: String, _ measure: HitMeasure, x: Double, y: Double) -> [String] {
        var lines = [0, 25, 50, 75, 100].flatMap { percent in
            let line = y + panelHeight * (1 - Double(percent) / 100)
            let scale = x > left ? [] : [SVG.label("\(percent)", x: x - 6, y: line + 4, anchor: "end")]
            let color = percent == 0 ? "#999" : "#e4e4e4"
            return [SVG.line(x: x, y: line, "h", length: panelWidth, color: color)] + scale
        }
        if measure == .objects {
            lines.append(SVG.label(trace, x: x + panelWidth / 2, y: y - 24, anchor: "middle", bold: true))
        }
        let cells = table.cells.filter { $0.trace == trace }
        for (group, cell) in cells.enumerated() {
            let start = x + 8 + Double(group) * (panelWidth - 4) / Double(cells.count)
            for (index, policy) in ReplayedPolicy.all.enumerated() {
                let height = panelHeight * cell.ratio(of: policy)[measure]
                lines.append(
                    bar(
                        x: start + Double(index) * (barWidth + 1), y: y + panelHeight - height, width: barWidth,
                        height: height, policy))
            }
            lines.append(
                SVG.label("\(cell.share) %", x: start + 2 * barWidth, y: y + panelHeight + 14, anchor: "middle"))
        }
        return lines
    }

    private func bar(x: Double, y: Double, width: Double, height: Double, _ policy: ReplayedPolicy) -> String {
        let color =
            switch policy {
            case .ours: "#0b6e8a"
            case .list(.lru): "#e08e2b"
            case .list(.clock): "#8a8f98"
            case .list(.fifo): "#c9cdd2"
            }
        return SVG.bar(x: x, y: y, width: width, height: height, color: color)
    }
}
