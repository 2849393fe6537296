import Foundation
import Testing

/// The page of a complete run.
@Suite struct ReportPageTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/Benchmarks")

    private func page(_ results: String) throws -> String {
        let machine = """
            {"cpu": "Test", "cores": 2, "memory_bytes": 8e9, "kernel": "Linux 6", "swift": "6.3", "date": "today",
            "load_average": [0.5]}
            """
        let json = "{\"machine\": \(machine), \"results\": [\(results)]}"
        return ReportPage(report: try JSONDecoder().decode(Report.self, from: Data(json.utf8))).text
    }

    private func result(_ name: String, ratio: Double, baseline: String = "other") -> String {
        """
        {"name": "\(name)", "unit": "ns", "ours": \(100 * ratio), "ours_p95": 0, "baseline_name": "\(baseline)",
        "baseline": 100, "ratio": \(ratio), "samples": 1}
        """
    }

    private func slower(_ page: String) throws -> [Substring] {
        let start = try #require(page.range(of: "## Where Alcedo is slower, and why"))
        return page[start.upperBound...].prefix { $0 != "#" }.split(separator: "\n").filter { $0.hasPrefix("- ") }
    }

    /// Fails until `make report` has written the page, or `bench --report Docs/Benchmarks` after a change of words.
    @Test func committedPage_isThatOfCommittedResults() throws {
        let report = try Report.read(Self.docs.appending(path: "latest.json"))
        func text(_ name: String) throws -> String {
            try String(contentsOf: Self.docs.appending(path: name), encoding: .utf8)
        }
        #expect(try ReportPage(report: report).text == text("README.md"))
        #expect(try ReportChart(report: report).text == text("report.svg"))
    }

    @Test func slowerCases_haveTheirReason_orNone() throws {
        let results = [
            result("disk/read-10k", ratio: 1.2), result("disk/hit-10k", ratio: 0.5), result("new/case", ratio: 3),
            result("disk/read-200k", ratio: 1.004), result("decode/png-3mp", ratio: 1.006),
        ]
        let lines = try slower(page(results.joined(separator: ",")))
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("- `disk/read-10k` 1.20: The checksum"))
        #expect(lines[1].hasPrefix("- `decode/png-3mp` 1.01: "))
        #expect(lines[2] == "- `new/case` 3.00: no reason known yet.")
    }

    @Test func cases_areGroupedByArea_inOrderOfRun() throws {
        let names = ["disk/a", "memory/b", "disk/c", "classic/d", "harness/e"]
        let text = try page(names.map { result($0, ratio: 0.5) }.joined(separator: ","))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| **") || $0.hasPrefix("| `") }
        let firstCells = rows.compactMap { $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) }
        #expect(firstCells == ["**Disk cache**", "`disk/a`", "`disk/c`", "**Memory cache**", "`memory/b`"])
    }

    /// Cases that measure other caches have Alcedo as their baseline.
    @Test func otherCaches_areComparedTheOtherWayRound() throws {
        let text = try page(result("memory/others-lru", ratio: 0.5, baseline: "Alcedo"))
        #expect(text.contains("| `memory/others-lru` | 100 ns | an LRU list and a lock, 50.0 ns | **2.00** |"))
        #expect(try slower(text).count == 1)
    }

    @Test func noise_isTheRangeOfBaselinesComparedWithThemselves() throws {
        let same = [0.97, 1.08, 1].map { result("harness/\($0)", ratio: $0, baseline: "itself") }
        let text = try page((same + [result("harness/dd", ratio: 1.8)]).joined(separator: ","))
        #expect(text.contains("gave ratios from 0.97 to 1.08."))
        #expect(text.contains("There is none in this run."))
    }
}
