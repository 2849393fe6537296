import Alcedo
import Foundation
import Testing

/// Checks every file of the image conformance sets by the rules of their FORMAT.md.
///
/// `ALCEDO_CONFORMANCE_TABLE` names a file to which the results are written.
@Suite struct ImageConformanceTests {
    /// A file of one of the sets.
    struct File: Sendable, CustomTestStringConvertible {
        let set: Int
        let row: ImageCorpus.Row

        var testDescription: String { row.file }

        static let all = ImageCorpus.readable.enumerated().flatMap { set, corpus in
            corpus.rows.map { File(set: set, row: $0) }
        }
    }

    /// Fails if a folder is invalid, in which case the other tests don't have its files.
    @Test func sets_canBeRead() throws {
        for corpus in ImageCorpus.all { #expect(try !corpus.get().rows.isEmpty) }
    }

    @Test(arguments: File.all)
    func file_decodesAsExpected(_ file: File) async throws {
        let tables = ConformanceTable.current
        let verdict = await ConformanceJudge(corpus: ImageCorpus.readable[file.set]).verdict(on: file.row)
        func report() { for problem in verdict.problems { Issue.record("\(problem)") } }
        if let reason = KnownDeviations.reasons[file.row["sha256_file"]] {
            // Newer libraries decode some correctly.
            withKnownIssue("\(reason)", isIntermittent: true) { report() }
        } else {
            report()
        }
        tables[file.set].record(verdict)
        if tables.allSatisfy(\.isComplete) { try publish(tables) }
    }

    private func publish(_ tables: [ConformanceTable]) throws {
        print(tables.flatMap(\.lines).joined(separator: "\n"))
        if let path = ProcessInfo.processInfo.environment["ALCEDO_CONFORMANCE_TABLE"] {
            try Data(ConformanceTable.page(tables).utf8).write(to: URL(filePath: path))
            return
        }
        let published = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ConformancePage.path)
        let text = try String(contentsOf: published, encoding: .utf8)
        // The page is about some sets, and a build with some of the decoders. This one may have others.
        let unread = Set(
            text.split(separator: "\n").filter { $0.hasSuffix(Self.isUnread) }.map { Self.kind(String($0)) })
        for table in tables where table.isPublished(in: text) {
            let read = table.lines.dropLast().filter { !$0.hasSuffix(Self.isUnread) }
            for line in read where !text.contains(line) && !unread.contains(Self.kind(line)) {
                Issue.record("\(ConformancePage.path) has no such line, see \(ConformancePage.target): \(line)")
            }
        }
    }

    private static let isUnread = "not read by this build |"

    /// The format and the expected outcome of a line.
    private static func kind(_ line: String) -> [Substring] { Array(line.split(separator: "|").prefix(2)) }
}
