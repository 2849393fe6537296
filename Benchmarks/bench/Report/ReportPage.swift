/// The page about one complete run, in Markdown. It depends on the report alone.
struct ReportPage {
    let report: Report

    private var rows: [ReportRow] { report.results.map(ReportRow.init) }

    var text: String {
        (introduction + run + method + results + slower + links).joined(separator: "\n") + "\n"
    }

    private var introduction: [String] {
        [
            """
            # Benchmarks

            How much time and memory does Alcedo add to the work that no image loader can avoid, and how does it compare
            with simpler designs and with other libraries?

            `make report` measures all cases, keeps the raw results of that run in [latest.json](latest.json), and
            writes this page.

            """
        ]
    }

    private var run: [String] {
        let machine = report.machine
        let memory = NumberFormat.quantity(Double(machine.memoryBytes), .bytes)
        let load = machine.loadAverage.map { NumberFormat.fixed($0, 2) }.joined(separator: ", ")
        var lines = [
            row(["", ""]), row(["---", "---"]), row(["Machine", "\(machine.cpu), \(machine.cores) cores, \(memory)"]),
            row(["System", machine.kernel]), row(["Swift", machine.swift]),
        ]
        if let versions = report.versions {
            let names = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines.append(row(["Versions", names.joined(separator: ", ")]))
        }
        lines.append(row(["Date", machine.date]))
        lines.append(row(["Load averages before the run", load]))
        if let command = report.command { lines.append(row(["Command", "`\(command)`"])) }
        return lines + [""]
    }

    private var method: [String] {
        let lines = [
            """
            Each case measures Alcedo and its baseline in turn, in one run. Values are medians, and times are for one
            operation. The ratio is Alcedo's value divided by the baseline's, so a ratio below 1 means that Alcedo takes
            less. Most baselines do only the work that can't be avoided, such as reading a file or calling a codec, so
            ratios somewhat above 1 are expected. Compare ratios between machines, not times.
            """
        ]
        let same = rows.filter { $0.baselineName == "itself" }.compactMap(\.ratio)
        guard let least = same.min(), let most = same.max() else { return lines + [""] }
        return lines + [
            "The noise of this run: cases that compare a baseline with itself gave ratios from "
                + "\(NumberFormat.ratio(least)) to \(NumberFormat.ratio(most)).", "",
        ]
    }

    private var results: [String] {
        var lines = [
            "![Alcedo's ratios to its baselines](report.svg)", "", "## Results", "",
            row(["Case", "Alcedo", "Baseline", "Ratio", "Meaning"]), row(["---", "---:", "---", "---:", "---"]),
        ]
        for area in ReportArea.areas(of: rows) {
            lines.append(row(["**\(area.title)**", "", "", "", ""]))
            lines += area.rows.map(line)
        }
        if let failures = report.failures, !failures.isEmpty {
            lines += ["", "Cases that failed in this run:", ""]
            lines += failures.sorted { $0.key < $1.key }.map { "- `\($0.key)`: \($0.value)" }
        }
        return lines + [""]
    }

    private func line(_ one: ReportRow) -> String {
        var baseline = one.baselineName ?? ""
        if let value = one.baseline { baseline += ", " + NumberFormat.quantity(value, one.unit) }
        let ratio = one.ratio.map(NumberFormat.ratio) ?? ""
        return row([
            "`\(one.name)`", NumberFormat.quantity(one.alcedo, one.unit), baseline,
            one.isSlower ? "**\(ratio)**" : ratio, CaseMeanings.all[one.name] ?? "",
        ])
    }

    private var slower: [String] {
        let slower = rows.filter { $0.isSlower && !$0.isHarness }
        var lines = ["## Where Alcedo is slower, and why", ""]
        lines.append("Every case in which Alcedo takes more time or memory than its baseline, with its ratio.")
        lines.append("")
        for (reason, rows) in SlowerReasons.grouped(slower) {
            let cases = rows.map { "`\($0.name)` \(NumberFormat.ratio($0.ratio ?? 0))" }
            lines.append("- \(cases.joined(separator: ", ")): \(reason)")
        }
        if slower.isEmpty { lines.append("There is none in this run.") }
        return lines + [""]
    }

    private var links: [String] {
        [
            """
            ## Other pages

            - [The classic design](classic.md): Alcedo and the design of Kingfisher and SDWebImage, in six scenarios.
            - [Cost growth](growth.md): costs with 100 to 100,000 entries, waiters and queued downloads.
            - [Hit ratios](memory-hit-ratio.md) of the memory cache on replayed traces.
            - [Scrolling](scroll.md) with and without prefetching.
            - [Behind a proxy](server-side.md): several processes, of which some are killed.
            - [Lessons](Lessons.md) of earlier measurements, with the comparison with Nuke on Linux.
            - [A comparison with Nuke](../../Benchmarks/Peers/README.md) that you can run on a Mac.
            """
        ]
    }

    /// Angle brackets would be read as HTML.
    private func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("<", with: "&lt;") }.joined(separator: " | ") + " |"
    }
}
