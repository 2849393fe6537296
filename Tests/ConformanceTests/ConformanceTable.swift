import Foundation
import Synchronization

/// Collects the verdicts on the files of an ``ImageCorpus`` and renders the page that the documentation publishes.
final class ConformanceTable: Sendable {
    private let corpus: ImageCorpus
    private let verdicts = Mutex<[String: ConformanceVerdict]>([:])

    init(_ corpus: ImageCorpus) { self.corpus = corpus }

    /// The tables of the sets that `ALCEDO_CORPUS` names.
    static let current = ImageCorpus.readable.map { ConformanceTable($0) }

    /// Whether every file has a verdict.
    var isComplete: Bool { verdicts.withLock { $0.count == corpus.rows.count } }

    /// Whether `page` is about this set.
    func isPublished(in page: String) -> Bool { page.contains(corpus.digest) }

    /// Returns true if every file now has a verdict.
    @discardableResult
    func record(_ verdict: ConformanceVerdict) -> Bool {
        verdicts.withLock { verdicts in
            verdicts[verdict.row.file] = verdict
            return verdicts.count == corpus.rows.count
        }
    }

    /// The page about the sets of all tables.
    static func page(_ tables: [ConformanceTable]) -> String {
        let results = tables.map { table in
            """
            The set has \(table.corpus.rows.count) files. The SHA-256 of its MANIFEST.tsv is
            `\(table.corpus.digest)`.

            \(table.lines.joined(separator: "\n"))
            """
        }
        let deviations = tables.flatMap(\.deviations)
        let target = ConformancePage.target
        return """
            # \(ConformancePage.title)

            Image conformance sets have third-party pictures, whole, damaged and hostile, with the outcome and the
            pixels that independent decoders agree on. This page shows how Alcedo decodes two of them. The sets are not
            part of this repository; with their folders in `ALCEDO_CORPUS`, `\(target)` decodes all of them and
            writes this page.

            An `ok` file must decode to the pixels of its reference, within the set's tolerance; all frames, delays and
            loop counts of an animation must be right. An `error` file must be refused. A `partial` file is damaged: an
            error or a picture of the right size. An `optional` one is of a rare kind: right pixels, or
            `unsupportedImage`. Of every picture, size, frame count, format and orientation must be those of its
            header, and every error must have a reason.

            \(ConformancePage.formats)

            \(results.joined(separator: "\n\n"))

            ## Not as expected

            \(deviations.isEmpty ? "None." : deviations.joined(separator: "\n"))

            """
    }

    /// One line for each format and outcome in the set.
    var lines: [String] {
        let verdicts = verdicts.withLock { Array($0.values) }
        var lines = ["| format | expected | files | pictures | errors | as expected |", "|---|---|---|---|---|---|"]
        for format in Set(verdicts.map(\.row.format)).sorted() {
            for outcome in ImageCorpus.Row.outcomes {
                let files = verdicts.filter { $0.row.format == format && $0.row.outcome == outcome }
                if !files.isEmpty { lines.append(Self.line("\(format) | \(outcome)", files)) }
            }
        }
        return lines + [Self.line("all | ", verdicts)]
    }

    private static func line(_ name: String, _ files: [ConformanceVerdict]) -> String {
        let pictures = files.count { $0.result == .picture }
        let isRead = files.contains { $0.result != .notRead }
        let good = files.count { $0.problems.isEmpty && $0.result != .notRead }
        let last = isRead ? "\(good)" : "not read by this build"
        return "| \(name) | \(files.count) | \(pictures) | \(files.count - pictures) | \(last) |"
    }

    /// The files with problems, and the known deviations that don't occur in this build.
    private var deviations: [String] {
        verdicts.withLock { $0.values.sorted { $0.row.file < $1.row.file } }.compactMap { verdict in
            let known = KnownDeviations.reasons[verdict.row["sha256_file"]]
            if verdict.problems.isEmpty {
                guard let known, verdict.result != .notRead else { return nil }
                return "- `\(verdict.row.file)`: as expected, though this is known: \(known)"
            }
            let cause = known.map { " Known: \($0)." } ?? ""
            return "- `\(verdict.row.file)`: \(verdict.problems.joined(separator: "; ")).\(cause)"
        }
    }
}
