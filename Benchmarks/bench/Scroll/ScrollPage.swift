/// The waiting times of cells for their images, with and without prefetching, as a page and a chart.
struct ScrollPage {
    let with: ScrollRun.Result
    let without: ScrollRun.Result

    var text: String {
        let rows = [50, 75, 90, 95, 99, 100].map { percent in
            let name = percent == 100 ? "the longest" : "\(percent) %"
            return row([name, Self.milliseconds(without, percent), Self.milliseconds(with, percent)])
        }
        let lines = [
            "# Waiting times in a scrolled feed", "",
            "The time from a cell being visible to its image being shown, by `make scroll`: 2,000 images with a",
            "median of 80 KB over 20 Mbit/s with a latency of 50 ms, in simulated time. 8 cells are visible, and",
            "12 more are prefetched. A cell that leaves the screen without its image has waited as long as it",
            "was visible.", "",
            "![The share of cells that have their image, by time](scroll.svg)", "",
            row(["of the cells, at most", "without prefetching", "with"]), row(["---:", "---:", "---:"]),
        ]
        let wasted = [
            "",
            "Bytes of cancelled transfers that no other one continued: \(Self.percent(without.wastedPart)) % without"
                + " prefetching, \(Self.percent(with.wastedPart)) % with.",
        ]
        return (lines + rows + wasted).joined(separator: "\n") + "\n"
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private static func milliseconds(_ result: ScrollRun.Result, _ percent: Int) -> String {
        NumberFormat.fixed(result.percentile(percent) / 1e6, 0) + " ms"
    }

    private static func percent(_ part: Double) -> String { NumberFormat.fixed(100 * part, 1) }

    // MARK: The picture

    private static let (left, top, width, height) = (44.0, 34.0, 480.0, 220.0)
    /// The end of the time axis, in milliseconds.
    private static let longest = 500

    var picture: String {
        var elements = [
            SVG.label("Cells that have their image", x: Self.left, y: 18, bold: true),
            SVG.label(
                "ms from visible to shown", x: Self.left + Self.width, y: Self.top + Self.height + 32, anchor: "end"),
        ]
        for percent in stride(from: 0, through: 100, by: 25) {
            let y = Self.y(percent)
            elements.append(SVG.line(x: Self.left, y: y, "h", length: Self.width, color: "#e4e4e4"))
            elements.append(SVG.label("\(percent) %", x: Self.left - 6, y: y + 4, anchor: "end"))
        }
        for moment in stride(from: 0, through: Self.longest, by: 100) {
            let x = Self.x(Double(moment))
            elements.append(SVG.line(x: x, y: Self.top, "v", length: Self.height, color: "#e4e4e4"))
            elements.append(SVG.label("\(moment)", x: x, y: Self.top + Self.height + 16, anchor: "middle"))
        }
        for (result, color, name, percent) in [
            (without, "#a8a8a8", "without prefetching", 50), (with, "#1f77b4", "with", 88),
        ] {
            elements.append(SVG.polyline((0...100).map { (Self.x(result, $0), Self.y($0)) }, color: color))
            elements.append(SVG.label(name, x: Self.x(result, percent) + 10, y: Self.y(percent) + 12, bold: true))
        }
        return SVG.document(
            width: Self.left + Self.width + 16, height: Self.top + Self.height + 42,
            title: "Waiting times in a scrolled feed", elements)
    }

    private static func x(_ result: ScrollRun.Result, _ percent: Int) -> Double { x(result.percentile(percent) / 1e6) }

    private static func x(_ milliseconds: Double) -> Double {
        left + width * min(1, milliseconds / Double(longest))
    }

    private static func y(_ percent: Int) -> Double { top + height * (1 - Double(percent) / 100) }
}
