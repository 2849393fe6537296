/// How much memory the process may use, and what share of it a cache takes unless told otherwise.
enum MemoryBudget {
    /// Decoded bytes that a memory cache holds by default: a fifth of the `bytes` that the process may use, no more
    /// than 768 MiB.
    static func costLimit(within bytes: Int) -> Int { min(768 << 20, max(0, bytes) / 5) }

    /// Bytes of the largest body that is taken by default: a tenth of the `bytes` that the process may use, no more
    /// than ``mostBodyBytes``.
    static func bodyLimit(within bytes: Int) -> Int { min(mostBodyBytes, max(0, bytes) / 10) }

    /// 200 MiB.
    static let mostBodyBytes = 200 << 20

    /// The least of `physical` and the limits of the process's control groups and all groups above them, in bytes.
    ///
    /// That is `memory.max`, which kills, and `memory.high`, which slows down, in version 2, and
    /// `memory.limit_in_bytes` in version 1. What is missing or no number does not limit.
    ///
    /// - Parameters:
    ///   - physical: the machine's memory in bytes.
    ///   - read: the text of the file at a path, nil when there is none.
    static func limit(physical: Int, read: (String) -> String?) -> Int {
        let groups = ControlGroups(read: read)
        let files =
            groups.unified.flatMap { [$0 + "/memory.max", $0 + "/memory.high"] }
            + groups.legacy.map { $0 + "/memory.limit_in_bytes" }
        return files.reduce(max(0, physical)) { least, path in
            guard let limit = read(path).flatMap(bytes) else { return least }
            return min(least, limit)
        }
    }

    /// The number that `text` is; nil for "max", and for one that no Int holds.
    private static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { !$0.isWhitespace }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(digits)
    }
}
