/// Alcedo's ratios to its baselines as an SVG bar chart, with a panel for each area in two columns.
struct ReportChart {
    let report: Report

    private let panelWidth = 470.0
    private let labelWidth = 200.0
    private let rowHeight = 18.0
    private let top = 64.0
    /// The room for a panel's title and the names of its scale.
    private let panelMargin = 50.0

    var text: String {
        var heights = [top, top]
        var panels: [String] = []
        for area in ReportArea.areas(of: report.results.map(ReportRow.init)) {
            let rows = area.rows.filter { ($0.ratio ?? 0) > 0 }
            if rows.isEmpty { continue }
            let column = heights[0] <= heights[1] ? 0 : 1
            panels += panel(area.title, rows, x: 10 + Double(column) * panelWidth, y: heights[column])
            heights[column] += Double(rows.count) * rowHeight + panelMargin
        }
        let heading = SVG.label(
            "Alcedo ÷ baseline: bars to the left mean that Alcedo takes less", x: 10, y: 24, bold: true)
        return SVG.document(
            width: 10 + 2 * panelWidth, height: max(heights[0], heights[1]), title: "Alcedo's ratios to its baselines",
            [heading] + panels)
    }

    private func panel(_ title: String, _ rows: [ReportRow], x: Double, y: Double) -> [String] {
        let axis = RatioAxis(left: x + labelWidth, width: panelWidth - labelWidth - 30)
        var lines = [SVG.label(title, x: x + labelWidth, y: y - 8, bold: true)]
        lines += axis.grid(y: y, height: Double(rows.count) * rowHeight)
        for (index, row) in rows.enumerated() {
            let middle = y + (Double(index) + 0.5) * rowHeight
            let name = row.name.dropFirst(row.area.count + 1)
            lines.append(SVG.label(String(name), x: x + labelWidth - 6, y: middle + 4, anchor: "end"))
            lines += axis.bar(row.ratio ?? 0, middle: middle, height: 12)
        }
        return lines
    }
}
