/// Lines with aligned columns.
enum TextTable {
    /// - Parameters:
    ///   - rows: The rows, each with the same number of cells.
    ///   - leading: The left-aligned columns; the others are right-aligned.
    static func lines(_ rows: [[String]], leading: Set<Int> = [0]) -> [String] {
        guard let first = rows.first else { return [] }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                if !leading.contains(column) { return padding + row[column] }
                return column == row.count - 1 ? row[column] : row[column] + padding
            }
            return cells.joined(separator: "  ")
        }
    }
}
