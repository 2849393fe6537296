import Foundation

/// The comparison as an SVG bar chart: a panel for each measure, with Alcedo's ratio to the classic design in each
/// scenario on a logarithmic scale.
struct ClassicPicture {
    let table: ClassicTable

    private let panelWidth = 330.0
    private let panelHeight = 180.0
    private let columns = 3
    private let labelWidth = 70.0
    private let rowHeight = 22.0
    /// The factor at which the scale ends in both directions. Longer bars are cut.
    private let limit = 16.0

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
        for factor in [1 / limit, 0.25, 1, 4, limit] {
            let place = left + position(of: factor)
            lines.append(SVG.line(x: place, y: y, "v", length: height, color: factor == 1 ? "#999" : "#e4e4e4"))
            lines.append(SVG.label(name(of: factor), x: place, y: y + height + 13, anchor: "middle"))
        }
        for (row, scenario) in ClassicScenario.allCases.enumerated() {
            let middle = y + (Double(row) + 0.5) * rowHeight
            lines.append(SVG.label(scenario.rawValue, x: left - 6, y: middle + 4, anchor: "end"))
            guard let ratio = table.result(scenario, measure)?.ratio, ratio > 0 else { continue }
            lines += bar(ratio, left: left, middle: middle)
        }
        return lines
    }

    private func bar(_ ratio: Double, left: Double, middle: Double) -> [String] {
        let (one, end) = (position(of: 1), position(of: ratio))
        let bar = SVG.bar(
            x: left + min(one, end), y: middle - 7, width: abs(end - one), height: 14,
            color: ratio <= 1 ? "#0b6e8a" : "#e08e2b")
        // The label is on the other side of the line, where there is always room.
        let label = SVG.label(
            NumberFormat.ratio(ratio), x: left + one + (ratio <= 1 ? 4 : -4), y: middle + 4,
            anchor: ratio <= 1 ? "start" : "end")
        return [bar, label]
    }

    private func position(of factor: Double) -> Double {
        let clamped = min(limit, max(1 / limit, factor))
        return scaleWidth * (0.5 + log2(clamped) / log2(limit) / 2)
    }

    private func name(of factor: Double) -> String {
        factor < 1 ? "1/\(NumberFormat.fixed(1 / factor, 0))" : NumberFormat.fixed(factor, 0)
    }
}
