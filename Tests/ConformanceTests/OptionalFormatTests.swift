import Alcedo
import Foundation
import Testing

/// Checks the files of formats whose traits are off by default, in the folders of `ALCEDO_CORPUS` after the first one,
/// by the rules of their FORMAT.md. A build without such a trait must refuse them all.
struct OptionalFormatTests {
    struct File: CustomTestStringConvertible, Sendable {
        let corpus: ImageCorpus
        let row: ImageCorpus.Row

        var testDescription: String { row.file }
    }

    private static let formats: Set = ["heic", "tiff", "jxl"]
    private static let sets = ImageCorpus.folders.dropFirst().map { folder in
        Result { () throws(ImageCorpus.Damage) in try ImageCorpus(folder) }
    }
    private static let files = sets.compactMap { try? $0.get() }.flatMap { corpus in
        corpus.rows.filter { formats.contains($0.format) }.map { File(corpus: corpus, row: $0) }
    }

    @Test func sets_canBeRead() throws {
        for set in Self.sets { #expect(try !set.get().rows.isEmpty) }
    }

    @Test(arguments: files) func file_decodesAsExpected(_ file: File) async {
        let verdict = await ConformanceJudge(corpus: file.corpus).verdict(on: file.row)
        func report() { for problem in verdict.problems { Issue.record("\(problem)") } }
        if let reason = KnownDeviations.reasons[file.row["sha256_file"]] {
            // Newer libraries decode some correctly.
            withKnownIssue("\(reason)", isIntermittent: true) { report() }
        } else {
            report()
        }
        let isRead = !ConformanceJudge.unreadFormats.contains(file.row.format)
        #expect((verdict.result != .notRead) == isRead)
    }
}
