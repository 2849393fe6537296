import Foundation

/// The cost of one operation relative to that with the fewest entries, as SVG lines on logarithmic scales.
struct GrowthChart {
    let rows: [GrowthRow]

    private let left = 50.0
    private let top = 40.0
    private let width = 460.0
    private let height = 260.0
    private let colors = [
        "#0b6e8a", "#5fb0c6", "#6a994e", "#8a8f98", "#1d3557", "#e08e2b", "#b5651d", "#c1121f",
    ]

    /// The ends of the vertical scale, as powers of two.
    private var powers: ClosedRange<Int> {
        let growth = rows.flatMap(\.growth).filter { $0 > 0 }.map(log2)
        return min(-1, Int((growth.min() ?? 0).rounded(.down)))...max(2, Int((growth.max() ?? 0).rounded(.up)))
    }

    var text: String {
        let sizes = rows.first?.costs.map(\.size) ?? []
        var elements = [
            SVG.label("Cost of one operation, relative to 100 entries", x: left, y: 20, bold: true)
        ]
        for power in powers {
            let y = y(of: Double(power))
            elements.append(SVG.line(x: left, y: y, "h", length: width, color: power == 0 ? "#999" : "#e4e4e4"))
            let name = power < 0 ? "1/\(1 << -power)" : "\(1 << power)"
            elements.append(SVG.label(name, x: left - 6, y: y + 4, anchor: "end"))
        }
        for (index, size) in sizes.enumerated() {
            let x = x(of: index, sizes.count)
            elements.append(SVG.line(x: x, y: top, "v", length: height, color: "#e4e4e4"))
            elements.append(SVG.label("\(size)", x: x, y: top + height + 16, anchor: "middle"))
        }
        for (index, row) in rows.enumerated() { elements += line(row, index) }
        return SVG.document(
            width: left + width + 260, height: top + height + 30, title: "Cost growth of Alcedo's operations", elements)
    }

    private func line(_ row: GrowthRow, _ index: Int) -> [String] {
        let color = colors[index % colors.count]
        let points = row.growth.enumerated().map { place, growth in
            (x: x(of: place, row.growth.count), y: y(of: log2(max(growth, 1e-3))))
        }
        let legend = top + 10 + Double(index) * 20
        let exponent = row.exponent.map { ", exponent " + NumberFormat.fixed($0, 2) } ?? ""
        return [
            SVG.polyline(points, color: color),
            SVG.bar(x: left + width + 14, y: legend - 10, width: 12, height: 12, color: color),
            SVG.label(row.name + exponent, x: left + width + 32, y: legend),
        ]
    }

    private func x(of place: Int, _ count: Int) -> Double { left + width * Double(place) / Double(max(1, count - 1)) }

    private func y(of power: Double) -> Double {
        let (low, high) = (Double(powers.lowerBound), Double(powers.upperBound))
        return top + height * (high - min(high, max(low, power))) / (high - low)
    }
}
