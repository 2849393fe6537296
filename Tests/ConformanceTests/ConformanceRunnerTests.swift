#if os(Linux) && JPEG && PNG && GIF
import Alcedo
import Foundation
import Testing

/// Tests the runner of conformance sets: it accepts any folder of the format and finds the errors in it.
struct ConformanceRunnerTests {
    private func verdicts(_ set: SmallSet) async throws -> (ConformanceTable, [String: ConformanceVerdict]) {
        let corpus = try ImageCorpus(set.url)
        let table = ConformanceTable(corpus)
        var verdicts: [String: ConformanceVerdict] = [:]
        for (number, row) in corpus.rows.enumerated() {
            let verdict = await ConformanceJudge(corpus: corpus).verdict(on: row)
            #expect(table.record(verdict) == (number == corpus.rows.count - 1))
            verdicts[row.file] = verdict
        }
        return (table, verdicts)
    }

    @Test func anotherSet_isJudgedWithoutChanges() async throws {
        let (table, verdicts) = try await verdicts(SmallSet())
        for verdict in verdicts.values { #expect(verdict.problems == [], "\(verdict.row.file)") }
        #expect(
            table.lines == [
                "| format | expected | files | pictures | errors | as expected |", "|---|---|---|---|---|---|",
                "| apng | ok | 1 | 1 | 0 | 1 |", "| gif | ok | 1 | 1 | 0 | 1 |", "| jpeg | ok | 1 | 1 | 0 | 1 |",
                "| jpeg | optional | 1 | 0 | 1 | 1 |", "| other | error | 2 | 0 | 2 | 2 |",
                "| png | ok | 1 | 1 | 0 | 1 |", "| png | partial | 1 | 0 | 1 | 1 |", "| all |  | 8 | 4 | 4 | 8 |",
            ])
        #expect(ConformanceTable.page([table]).contains("## Not as expected\n\nNone.\n"))
    }

    /// A wrong expectation, and a part of the message about it.
    @Test(arguments: [
        ("noise.png", "sha256_premul", String(repeating: "0", count: 64), "pixels differ"),
        ("noise.png", "width", "10", "9 × 7, not 10 × 7"),
        ("noise.png", "outcome", "error", "must be rejected"),
        ("noise.png", "orientation", "3", "orientation 1"),
        ("noise.png", "bytes", "17", "the file has"),
        ("noise.png", "sha256_file", String(repeating: "0", count: 64), "different contents"),
        ("noise.png", "format", "avif", "decoded a format"),
        ("turned.jpg", "tol_mad", "0.001", "pixels differ by"),
        ("turned.jpg", "orientation", "1", "orientation 6"),
        ("turned.jpg", "ref_rows", "9", "smaller than"),
        ("moving.gif", "frames", "4", "3 frames, not 4"),
        ("moving.gif", "frames", "1", "an animation, not a still"),
        ("moving.gif", "loop", "3", "loop count"),
        ("moving.png", "loop", "0", "loop count"),
        ("cut.png", "outcome", "ok", "expected ok"),
        ("page.png", "outcome", "ok", "expected ok"),
        ("page.png", "outcome", "optional", "expected optional"),
        ("lossless.jpg", "outcome", "ok", "expected ok"),
    ])
    func wrongExpectation_isAProblem(_ file: String, _ column: String, _ value: String, _ words: String) async throws {
        #if AVIF
        if value == "avif" { return }
        #endif
        var set = try SmallSet()
        try set.change(file, column, to: value)
        let (table, verdicts) = try await verdicts(set)
        let wrong = verdicts.values.filter { !$0.problems.isEmpty }
        #expect(wrong.map(\.row.file) == [file])
        #expect(wrong.first?.problems.contains { $0.contains(words) } == true, "\(wrong.first?.problems ?? [])")
        #expect(ConformanceTable.page([table]).contains("- `\(file)`: "))
        #expect(table.lines.last?.hasSuffix("| 7 |") == true)
    }

    @Test(arguments: [
        ("delay_ms", "90", "has a delay of"), ("delay_ms", "-", "no delay"), ("index", "3", "no valid frame index"),
        ("sha256_premul", String(repeating: "0", count: 64), "frame 1: pixels differ"),
    ])
    func wrongFrame_isAProblem(_ column: String, _ value: String, _ words: String) async throws {
        for file in ["moving.gif", "moving.png"] {
            var set = try SmallSet()
            try set.changeFrames(of: file, column, to: value)
            let problems = try await verdicts(set).1[file]?.problems ?? []
            #expect(problems.contains { $0.contains(words) }, "\(problems)")
        }
    }

    @Test func missingFrames_areAProblem() async throws {
        let set = try SmallSet()
        try FileManager.default.removeItem(at: set.url.appending(path: "FRAMES.tsv"))
        let verdicts = try await verdicts(set).1
        #expect(verdicts["moving.gif"]?.problems == ["FRAMES.tsv has 0 of 3 frames"])
        #expect(verdicts["noise.png"]?.problems == [])
    }

    // MARK: Folders that are not a set

    private func damage(of url: URL) -> String {
        do {
            _ = try ImageCorpus(url)
            return ""
        } catch {
            return error.description
        }
    }

    /// A column with an invalid value, and a part of the message about it.
    @Test(arguments: [
        ("outcome", "okay", "\"okay\" is not an outcome"), ("check", "md5", "\"md5\" is not a check"),
        ("width", "-", "width is \"-\", not a number"), ("bytes", "many", "bytes is \"many\", not a number"),
        ("sha256_premul", "-", "sha256_premul is \"-\", not a SHA-256"), ("check", "mad", "needs ref_file and tol_mad"),
        ("file", "turned.jpg", "a second line for the same file"), ("file", "missing.png", "the file does not exist"),
        ("format", "png\tmore", "MANIFEST.tsv, line 2: 27 fields, not 26"),
    ])
    func invalidLine_isNamed(_ column: String, _ value: String, _ words: String) throws {
        var set = try SmallSet()
        try set.change("noise.png", column, to: value)
        #expect(damage(of: set.url).contains(words), "\(damage(of: set.url))")
        #expect(damage(of: set.url).contains("MANIFEST.tsv, line "))
    }

    @Test func folderWithoutAManifest_isRejected() throws {
        let set = try SmallSet()
        #expect(damage(of: set.url) == "")
        #expect(damage(of: set.url.appending(path: "missing")).hasPrefix("MANIFEST.tsv can't be read in"))
        let manifest = try String(contentsOf: set.url.appending(path: "MANIFEST.tsv"), encoding: .utf8)
        try set.write("", to: "MANIFEST.tsv")
        #expect(damage(of: set.url) == "MANIFEST.tsv has no column \"file\" in its first line")
        try set.write(String(manifest.prefix { $0 != "\n" }), to: "MANIFEST.tsv")
        #expect(damage(of: set.url) == "MANIFEST.tsv lists no files")
        try set.write(manifest.replacing("sha256_premul", with: "sha256"), to: "MANIFEST.tsv")
        #expect(damage(of: set.url) == "MANIFEST.tsv has no column \"sha256_premul\" in its first line")
        try Data([0x66, 0xFF, 0xFE]).write(to: set.url.appending(path: "MANIFEST.tsv"))
        #expect(damage(of: set.url) == "MANIFEST.tsv is not UTF-8")
    }

    @Test func framesOfAnUnlistedFile_areRejected() throws {
        var set = try SmallSet()
        try set.changeFrames(of: "moving.gif", "file", to: "other.gif")
        #expect(damage(of: set.url).contains("other.gif: MANIFEST.tsv does not list the file"))
        try set.write("file\tindex\n", to: "FRAMES.tsv")
        #expect(damage(of: set.url) == "FRAMES.tsv has no column \"delay_ms\" in its first line")
    }
}
#endif
