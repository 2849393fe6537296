import Alcedo
import Foundation
import Synchronization

/// The running downloads: a bar for each on a terminal; otherwise a line for each that ended.
final class ProgressDisplay: Sendable {
    private struct Bar {
        let url: URL
        var received = 0
        var expected: Int?
    }

    private struct State {
        var bars: [Bar] = []
        var drawnLines = 0
        var lastDrawn: ContinuousClock.Instant?
    }

    private let console: Console
    private let state = Mutex(State())

    init(console: Console) { self.console = console }

    func receive(_ event: LoadEvent) {
        guard let url = event.url else { return }
        state.withLock { state in
            switch event.kind {
            case .began(.download):
                state.bars.append(Bar(url: url))
            case .progress(let received, let expected):
                guard let index = state.bars.firstIndex(where: { $0.url == url }) else { return }
                state.bars[index].received = received
                state.bars[index].expected = expected
            case .ended(.download, let end):
                state.bars.removeAll { $0.url == url }
                // The user knows about a cancellation, and its message might appear in the middle of other output.
                if !console.isTerminal, end.error != .cancelled {
                    let outcome = end.error.map { "\($0)" } ?? ByteText.of(end.bytes ?? 0)
                    console.print("  \(url.lastPathComponent)  \(outcome)")
                }
            default:
                return
            }
            draw(&state)
        }
    }

    /// Removes the bars from the screen.
    func clear() {
        state.withLock { state in
            console.write(Self.erase(state.drawnLines))
            state.drawnLines = 0
        }
    }

    private func draw(_ state: inout State) {
        guard console.isTerminal else { return }
        let now = ContinuousClock.now
        // A screen shows at most about 30 frames a second, and each one costs time.
        if let last = state.lastDrawn, now - last < .milliseconds(33) { return }
        state.lastDrawn = now
        let lines = state.bars.map(Self.line)
        console.write(Self.erase(state.drawnLines) + lines.map { $0 + "\n" }.joined())
        state.drawnLines = lines.count
    }

    /// Moves up and erases to the end of the screen.
    private static func erase(_ lines: Int) -> String { lines == 0 ? "" : "\u{1B}[\(lines)A\u{1B}[J" }

    private static func line(_ bar: Bar) -> String {
        let width = 30
        let share = bar.expected.map { $0 > 0 ? Double(bar.received) / Double($0) : 0 } ?? 0
        let full = min(width, Int(share * Double(width)))
        let name = bar.url.lastPathComponent.padding(toLength: 18, withPad: " ", startingAt: 0)
        let drawn = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
        return "  \(name) \(drawn) \(ByteText.of(bar.received))"
    }
}

/// Formats byte counts for people.
enum ByteText {
    static func of(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) B"
        case ..<1_000_000: String(format: "%.0f KB", Double(bytes) / 1e3)
        case ..<1_000_000_000: String(format: "%.1f MB", Double(bytes) / 1e6)
        default: String(format: "%.2f GB", Double(bytes) / 1e9)
        }
    }

    /// The exact number, and a short one if that is easier to read.
    static func exact(_ bytes: Int) -> String { bytes < 1_000 ? "\(bytes)" : "\(bytes) (\(of(bytes)))" }
}
