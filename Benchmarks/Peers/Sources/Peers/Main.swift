import Foundation

/// Compares Alcedo with Nuke, and prints a table.
@main
struct Main {
    static func main() async throws {
        let cases = try PeerCases()
        defer { cases.stop() }
        let (alcedo, nuke) = (AlcedoPeer(), NukePeer())
        print("| Case | Alcedo | Nuke | Ratio |\n|---|---:|---:|---:|")
        for one in cases.all(photo: CommandLine.arguments.dropFirst().first.map { URL(filePath: $0) }) {
            let result = try await one.measure(alcedo, nuke)
            let cells = [text(result.alcedo), text(result.nuke), String(format: "%.2f", result.ratio)]
            print("| \(one.name) | \(cells.joined(separator: " | ")) |")
        }
    }

    private static func text(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-6: String(format: "%.0f ns", seconds * 1e9)
        case ..<1e-3: String(format: "%.2f µs", seconds * 1e6)
        default: String(format: "%.2f ms", seconds * 1e3)
        }
    }
}
