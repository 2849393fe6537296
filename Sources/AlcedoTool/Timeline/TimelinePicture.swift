import Alcedo
import Foundation

/// Draws a timeline as an SVG image: a row for each load, with its stages in color and cancelled ones hatched. The
/// stages that a load shares with another one are drawn in that one's row, so if the former was cancelled, its whole
/// wait is hatched.
struct TimelinePicture {
    let timeline: Timeline

    private static let rowHeight = 15.0
    private static let top = 58.0
    private static let left = 170.0
    private static let plotWidth = 620.0
    private static let width = 960.0

    private static let colors: [(stage: LoadStage, color: String)] = [
        (.memory, "#8250df"), (.disk, "#0a7d91"), (.queued, "#d0d7de"), (.offline, "#ffaba8"), (.download, "#2da44e"),
        (.connect, "#bf8700"), (.firstByte, "#9be9a8"), (.decode, "#cf5b20"), (.process, "#bf3989"),
        (.encode, "#953800"), (.store, "#57606a"),
    ]

    /// The SVG document.
    var svg: String {
        let height = Self.top + Double(max(1, timeline.bars.count)) * Self.rowHeight + 12
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.text(Self.width)) \(Self.text(height))\""
                + " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"10\" fill=\"#24292f\">",
            "<title>\(timeline.bars.count) loads in \(DurationText.of(timeline.end))</title>",
            "<defs><pattern id=\"cancelled\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\""
                + " patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#fff\" stroke-width=\"5\"/></pattern>"
                + "</defs>",
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
        ]
        lines += legend + axis(height)
        for (row, bar) in timeline.bars.enumerated() {
            lines += drawn(bar, y: Self.top + Double(row) * Self.rowHeight)
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private var legend: [String] {
        var x = Self.left
        var lines: [String] = []
        for (stage, color) in Self.colors {
            lines.append(Self.box(x: x, y: 12, width: 10, height: 10, fill: color))
            lines.append(Self.label(stage.rawValue, x: x + 14, y: 21))
            x += 24 + 6 * Double(stage.rawValue.count)
        }
        lines += Self.hatched(x: x, y: 12, width: 10, height: 10, fill: "#2da44e")
        lines.append(Self.label("cancelled", x: x + 14, y: 21))
        return lines
    }

    private func axis(_ height: Double) -> [String] {
        let step = Self.step(for: milliseconds(timeline.end))
        var lines: [String] = []
        var moment = 0.0
        while moment <= milliseconds(timeline.end) {
            let x = x(.nanoseconds(Int64(moment * 1e6)))
            lines.append("<path d=\"M\(Self.text(x)) 44V\(Self.text(height - 6))\" stroke=\"#eaeef2\"/>")
            lines.append(Self.label(moment == 0 ? "0" : "\(Self.text(moment)) ms", x: x, y: 40, anchor: "middle"))
            moment += step
        }
        return lines
    }

    private func drawn(_ bar: Timeline.Bar, y: Double) -> [String] {
        let middle = y + 9.5
        var lines = [Self.label(Self.name(of: bar.url), x: Self.left - 8, y: middle, anchor: "end")]
        let (start, end) = (x(bar.start), max(x(bar.start) + 1, x(bar.end)))
        lines.append("<path d=\"M\(Self.text(start)) \(Self.text(y + 6))H\(Self.text(end))\" stroke=\"#afb8c1\"/>")
        if bar.isCancelled, bar.leader != nil {
            lines += Self.hatched(x: start, y: y + 1, width: end - start, height: 11, fill: "#afb8c1")
        }
        for segment in bar.segments {
            let color = Self.colors.first { $0.stage == segment.stage }?.color ?? "#57606a"
            let (from, to) = (x(segment.start), x(segment.end))
            // The stages of a download are drawn on top of it.
            let isPart = segment.stage == .connect || segment.stage == .firstByte
            let (top, height) = isPart ? (y + 4, 5.0) : (y + 1, 11.0)
            let width = max(0.6, to - from)
            lines +=
                segment.error == .cancelled
                ? Self.hatched(x: from, y: top, width: width, height: height, fill: color)
                : [Self.box(x: from, y: top, width: width, height: height, fill: color)]
        }
        lines.append(Self.label(ending(of: bar), x: end + 5, y: middle, color: Self.color(of: bar)))
        return lines
    }

    private func ending(of bar: Timeline.Bar) -> String {
        let time = DurationText.of(bar.end - bar.start)
        let shared = bar.leader == nil ? "" : ", shared"
        return switch bar.ending {
        case .loaded(let source): "\(source.rawValue)\(shared), \(time)"
        case .failed(.cancelled): "cancelled after \(time)"
        case .failed(let error): ErrorText.of(error)
        case .underWay: "under way"
        }
    }

    private static func color(of bar: Timeline.Bar) -> String {
        if case .failed(let error) = bar.ending, error != .cancelled { "#cf222e" } else { "#57606a" }
    }

    private func x(_ time: Duration) -> Double {
        Self.left + Self.plotWidth * milliseconds(time) / max(0.001, milliseconds(timeline.end))
    }

    private func milliseconds(_ time: Duration) -> Double { time / .milliseconds(1) }

    /// A round number of milliseconds that gives about six to twelve marks.
    private static func step(for span: Double) -> Double {
        let power = pow(10, floor(log10(max(0.001, span / 6))))
        return [1, 2, 5].map { $0 * power }.last { $0 <= span / 6 } ?? power
    }

    private static func name(of url: URL?) -> String {
        guard let name = url.map({ ShownText.of(url: $0.lastPathComponent) }), !name.isEmpty else { return "(bytes)" }
        return name.count > 30 ? "…" + name.suffix(29) : name
    }

    // MARK: Elements

    private static func box(x: Double, y: Double, width: Double, height: Double, fill: String) -> String {
        "<rect x=\"\(text(x))\" y=\"\(text(y))\" width=\"\(text(width))\" height=\"\(text(height))\" fill=\"\(fill)\"/>"
    }

    private static func hatched(x: Double, y: Double, width: Double, height: Double, fill: String) -> [String] {
        [fill, "url(#cancelled)"].map { box(x: x, y: y, width: width, height: height, fill: $0) }
    }

    private static func label(
        _ text: String, x: Double, y: Double, anchor: String = "start", color: String? = nil
    ) -> String {
        let fill = color.map { " fill=\"\($0)\"" } ?? ""
        return
            "<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" text-anchor=\"\(anchor)\"\(fill)>\(escaped(text))</text>"
    }

    /// Escapes a URL, which may contain any characters.
    private static func escaped(_ text: String) -> String {
        OneLine.of(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func text(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
