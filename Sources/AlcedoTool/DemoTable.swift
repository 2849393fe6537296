import Alcedo
import Foundation

/// The demo's measurements, one line for each pass.
struct DemoTable {
    private var rows: [[String]] = []

    /// Adds a pass: its responses, the transport that delivered them, if any, and the number of requests that the
    /// server received during the pass.
    mutating func add(_ responses: [ImageResponse], over transport: String = "-", requests: Int) {
        let sources = Set(responses.map(\.source.rawValue)).sorted().joined(separator: ", ")
        let times = responses.map(\.timings.total).sorted()
        let decoded = responses.reduce(0) { $0 + $1.image.bitmap.byteCount }
        rows.append([
            sources, transport, "\(responses.count)", ByteText.of(decoded), "\(requests)",
            Milliseconds.text(Self.quantile(0.5, of: times)), Milliseconds.text(Self.quantile(0.95, of: times)),
        ])
    }

    var lines: [String] {
        TextTable.lines([["source", "transport", "count", "bytes (decoded)", "requests", "median", "p95"]] + rows)
    }

    /// The smallest value that is at least as large as the given share of all values.
    static func quantile(_ share: Double, of sorted: [Duration]) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(sorted.count, max(1, rank)) - 1]
    }
}

/// Formats times for people.
enum Milliseconds {
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return String(format: milliseconds < 1 ? "%.3f ms" : "%.1f ms", milliseconds)
    }
}
