import Alcedo
import Synchronization

/// Counts what came of the files of each format, and prints a line for it when they are all done.
final class ConformanceTally: Sendable {
    private struct Count {
        var files = 0
        /// By the outcome that the set demands: files, and how many of them gave an image.
        var outcomes: [String: (files: Int, images: Int)] = [:]
    }

    private let expected: [String: Int]
    private let counts = Mutex<[String: Count]>([:])

    init(_ rows: [ImageCorpus.Row]) {
        expected = Dictionary(rows.map { ($0.format, 1) }, uniquingKeysWith: +)
    }

    func record(_ row: ImageCorpus.Row, isImage: Bool) {
        let line = counts.withLock { counts -> String? in
            var count = counts[row.format, default: Count()]
            count.files += 1
            let before = count.outcomes[row.outcome, default: (0, 0)]
            count.outcomes[row.outcome] = (before.files + 1, before.images + (isImage ? 1 : 0))
            counts[row.format] = count
            return count.files == expected[row.format] ? Self.line(row.format, count) : nil
        }
        if let line { print(line) }
    }

    private static func line(_ format: String, _ count: Count) -> String {
        let outcomes = ["ok", "error", "partial", "optional"].map { outcome in
            let (files, images) = count.outcomes[outcome, default: (0, 0)]
            return "\(files) \(outcome) (\(images) images, \(files - images) errors)"
        }
        return "Conformance of \(format): \(count.files) files: " + outcomes.joined(separator: ", ")
    }
}
