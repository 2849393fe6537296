import Alcedo
import Foundation

/// The display on a terminal while loads run: a bar for each running download, and a line with the totals.
struct ProgressBars: Sendable, Equatable {
    private struct Bar: Sendable, Equatable {
        let url: URL
        var received = 0
        var expected: Int?

        var name: String {
            let last = url.lastPathComponent
            return ShownText.of(url: last.isEmpty || last == "/" ? url.host() ?? url.absoluteString : last)
        }
    }

    /// The number of loads; nil for bars without a line with the totals.
    var total: Int?
    var finished = 0
    var failed = 0
    private var bars: [Bar] = []
    /// The number of bytes of downloads that have ended.
    private var endedBytes = 0

    init(total: Int? = nil) { self.total = total }

    /// The number of bytes of all downloads so far.
    var receivedBytes: Int { bars.reduce(endedBytes) { $0 + $1.received } }

    /// - Returns: Whether the display changes.
    mutating func receive(_ event: ToolEvent) -> Bool {
        switch event {
        case .downloadStarted(let url):
            // A new attempt starts from zero.
            bars.removeAll { $0.url == url }
            bars.append(Bar(url: url))
        case .downloadProgress(let url, let received, let expected):
            guard let index = bars.firstIndex(where: { $0.url == url }) else { return false }
            bars[index].received = received
            bars[index].expected = expected
        case .downloadEnded(let url, let bytes, _):
            bars.removeAll { $0.url == url }
            endedBytes += bytes
        case .loadFailed, .cacheFailed:
            return false
        }
        return true
    }

    mutating func finish(isGood: Bool) {
        finished += 1
        if !isGood { failed += 1 }
    }

    /// The lines for a terminal: too short to wrap, and too few to fill it.
    ///
    /// - Parameter isASCII: Whether the lines contain only ASCII.
    func lines(in size: TerminalSize, isASCII: Bool = false) -> [String] {
        let lines = lines(in: size) { isASCII ? ASCIIText.of($0) : $0 }
        // The replacement is as wide as the original sign.
        return isASCII ? lines.map { ASCIIText.of($0.replacing("…", with: "~")) } : lines
    }

    private func lines(in size: TerminalSize, _ encode: (String) -> String) -> [String] {
        // After writing a full line, some terminals are already in the next one.
        let width = size.columns - 1
        guard width > 0 else { return [] }
        let totals = total.map { [CellText.cut(totalText(of: $0), width: width).text] } ?? []
        let room = max(0, size.rows - 1 - totals.count)
        return bars.prefix(room).map { Self.line($0, encode($0.name), width: width) } + totals
    }

    private func totalText(of total: Int) -> String {
        let failures = failed == 0 ? "" : " · \(failed) failed"
        return "\(finished) of \(total) · \(ByteText.of(receivedBytes))\(failures)"
    }

    private static func line(_ bar: Bar, _ shown: String, width: Int) -> String {
        let bytes =
            bar.expected.map { "\(ByteText.of(bar.received)) of \(ByteText.of($0))" } ?? ByteText.of(bar.received)
        let end = " " + bytes
        let name = min(28, max(8, width / 3))
        let cells = min(40, width - 4 - name - max(19, end.count))
        guard cells >= 4 else {
            let isWide = 2 + name + end.count <= width
            return isWide
                ? "  " + CellText.fitted(shown, width: name) + end
                : CellText.cut("  \(shown)", width: width).text
        }
        let share = bar.expected.map { $0 > 0 ? Double(bar.received) / Double($0) : 0 } ?? 0
        let full = Int(min(1, max(0, share)) * Double(cells))
        let drawn = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        return "  \(CellText.fitted(shown, width: name)) \(drawn)\(end)"
    }
}
