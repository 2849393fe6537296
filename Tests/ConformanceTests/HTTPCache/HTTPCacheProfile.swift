import Foundation

/// The table profile.tsv: which caches each case applies to, and the verdicts on known implementations.
struct HTTPCacheProfile: Sendable {
    struct Row: Sendable {
        let id: String
        let kind: String
        let profile: String
        /// By the name of the column.
        let verdicts: [String: HTTPCacheVerdict]
    }

    /// The columns with verdicts, in the order of the table.
    let implementations: [String]
    let rows: [String: Row]

    private static let otherColumns = [
        "id", "suite", "kind", "profile", "profile_reason", "requests", "pause_s", "depends_on", "name",
    ]

    init(_ text: String) throws(HTTPCacheCaseSet.Damage) {
        let lines = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let columns = lines.first ?? []
        if let missing = ["id", "kind", "profile"].first(where: { !columns.contains($0) }) {
            throw .init("profile.tsv has no column \"\(missing)\" in its first line")
        }
        implementations = columns.filter { !Self.otherColumns.contains($0) }
        var rows: [String: Row] = [:]
        for fields in lines.dropFirst() {
            guard fields.count == columns.count else {
                throw .init("profile.tsv, \(fields[0]): \(fields.count) fields, not \(columns.count)")
            }
            let line = Dictionary(zip(columns, fields)) { first, _ in first }
            let row = try Self.row(line, implementations)
            guard rows.updateValue(row, forKey: row.id) == nil else {
                throw .init("profile.tsv, \(row.id): a second line for the same case")
            }
        }
        self.rows = rows
    }

    private static func row(
        _ line: [String: String], _ implementations: [String]
    ) throws(HTTPCacheCaseSet.Damage) -> Row {
        let id = line["id", default: ""]
        var verdicts: [String: HTTPCacheVerdict] = [:]
        for name in implementations {
            let text = line[name, default: ""]
            guard let verdict = HTTPCacheVerdict(rawValue: text) else {
                throw .init("profile.tsv, \(id): \"\(text)\" is not a verdict")
            }
            verdicts[name] = verdict
        }
        return Row(id: id, kind: line["kind", default: ""], profile: line["profile", default: ""], verdicts: verdicts)
    }
}
