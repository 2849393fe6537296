/// Finds the probable meaning of a mistyped word.
enum Spelling {
    /// Returns " (did you mean …?)", or an empty text if no candidate is close.
    static func hint(_ word: String, of candidates: [String]) -> String {
        // Long input isn't a typing error, and the comparison takes time proportional to the product of both lengths.
        guard word.count <= 40 else { return "" }
        let limit = min(2, word.count { $0 != "-" } / 3)
        let distances = candidates.map { ($0, distance(Array(word), Array($0))) }
        guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return "" }
        return " (did you mean \(best.0)?)"
    }

    /// The number of characters to insert, delete, replace or swap with their neighbor.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for (i, character) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (character == other ? 0 : 1))
                if i > 0, j > 0, character == right[j - 1], left[i - 1] == other {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
