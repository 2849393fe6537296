/// The comparison as an SVG bar chart: a panel for each measure, with Alcedo's ratio to the classic design in each
/// scenario on a logarithmic scale.
struct ClassicPicture {
    let table: ClassicTable

    private let panelWidth = 330.0
    private let panelHeight = 180.0
    private let columns = 3
    private let labelWidth = 70.0
    private let rowHeight = 22.0

    private var scaleWidth: Double { panelWidth - labelWidth - 30 }

    var text: String {
        let measures = ClassicMeasure.allCases
        let rows = (measures.count + columns - 1) / columns
        let panels = measures.enumerated().flatMap { index, measure in
            panel(
                measure, x: 10 + Double(index % columns) * panelWidth, y: 60 + Double(index / columns) * panelHeight)
        }
        let heading = SVG.label(
            "Alcedo ÷ the classic design: bars to the left mean that Alcedo takes less", x: 10, y: 24, bold: true)
        return SVG.document(
            width: 10 + Double(columns) * panelWidth, height: 60 + Double(rows) * panelHeight,
            title: "Alcedo and the classic design, compared in six scenarios", [heading] + panels)
    }

    private func panel(_ measure: ClassicMeasure, x: Double, y: Double) -> [String] {
        let left = x + labelWidth
        let height = Double(ClassicScenario.allCases.count) * rowHeight
        var lines = [SVG.label(measure.title, x: left + scaleWidth / 2, y: y - 8, anchor: "middle", bold: true)]
        let axis = RatioAxis(left: left, width: scaleWidth)
        lines += axis.grid(y: y, height: height)
        for (row, scenario) in ClassicScenario.allCases.enumerated() {
            let middle = y + (Double(row) + 0.5) * rowHeight
            lines.append(SVG.label(scenario.rawValue, x: left - 6, y: middle + 4, anchor: "end"))
            guard let ratio = table.result(scenario, measure)?.ratio, ratio > 0 else { continue }
            lines += axis.bar(ratio, middle: middle)
        }
        return lines
    }
}
