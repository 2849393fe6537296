import Alcedo
import Foundation
import Testing

/// Checks every file of the image conformance set by the rules of its FORMAT.md.
///
/// `ALCEDO_CONFORMANCE_TABLE` names a file to which the results are written.
@Suite struct ImageConformanceTests {
    /// Fails if the folder is invalid, in which case the other tests have no files.
    @Test func set_canBeRead() throws {
        let corpus = try ImageCorpus.current.get()
        #expect(!corpus.rows.isEmpty)
    }

    @Test(arguments: ImageCorpus.readable?.rows ?? [])
    func file_decodesAsExpected(_ row: ImageCorpus.Row) async throws {
        let corpus = try #require(ImageCorpus.readable)
        let table = try #require(ConformanceTable.current)
        let verdict = await ConformanceJudge(corpus: corpus).verdict(on: row)
        func report() { for problem in verdict.problems { Issue.record("\(problem)") } }
        if let reason = KnownDeviations.reasons[row["sha256_file"]] {
            // Newer libraries decode some correctly.
            withKnownIssue("\(reason)", isIntermittent: true) { report() }
        } else {
            report()
        }
        if table.record(verdict) { try publish(table, of: corpus) }
    }

    private func publish(_ table: ConformanceTable, of corpus: ImageCorpus) throws {
        print(table.lines.joined(separator: "\n"))
        if let path = ProcessInfo.processInfo.environment["ALCEDO_CONFORMANCE_TABLE"] {
            try Data(table.page.utf8).write(to: URL(filePath: path))
            return
        }
        let published = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/Conformance.md")
        let text = try String(contentsOf: published, encoding: .utf8)
        // The page is about one set. A build without some decoders has the results for the others.
        guard text.contains(corpus.digest) else { return }
        let read = table.lines.dropLast().filter { !$0.hasSuffix("not read by this build |") }
        for line in read where !text.contains(line) {
            Issue.record("Docs/Conformance.md, which `make conformance` writes, has no such line: \(line)")
        }
    }
}
