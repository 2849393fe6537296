/// The memory that the process may use, and the share of it that a cache takes by default.
enum MemoryBudget {
    /// The default limit of a memory cache in decoded bytes: a fifth of the `bytes` that the process may use, at most
    /// 768 MiB.
    static func costLimit(within bytes: Int) -> Int { min(768 << 20, max(0, bytes) / 5) }

    /// The default limit of a body in bytes: a tenth of the `bytes` that the process may use, at most
    /// ``mostBodyBytes``. In small processes up to half of it, because large bodies are received into files.
    static func bodyLimit(within bytes: Int) -> Int {
        min(mostBodyBytes, max(min(smallBodyBytes, max(0, bytes) / 2), bytes / 10))
    }

    /// The default limit of all bodies that wait to be decoded or taken, in bytes: an eighth of the `bytes` that the
    /// process may use, at most ``mostWaitingBytes``.
    static func waitingLimit(within bytes: Int) -> Int { min(mostWaitingBytes, max(0, bytes) / 8) }

    /// The limit of the bitmaps that are decoded and processed at the same time, in bytes: a quarter of the `bytes`
    /// that the process may use.
    static func decodeLimit(within bytes: Int) -> Int { max(0, bytes) / 4 }

    /// 256 MiB.
    static let mostWaitingBytes = 256 << 20

    /// 16 MiB, as much as a photo of 48 megapixels takes.
    static let smallBodyBytes = 16 << 20

    /// 200 MiB.
    static let mostBodyBytes = 200 << 20

    /// The minimum of `physical` and the limits of the process's control groups and all their ancestors, in bytes.
    ///
    /// In version 2, those are `memory.max`, which kills, and `memory.high`, which throttles; in version 1,
    /// `memory.limit_in_bytes`. A missing or non-numeric value is no limit.
    ///
    /// - Parameters:
    ///   - physical: The machine's memory in bytes.
    ///   - read: Returns the text of the file at a path, or nil when there is none.
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

    /// The number in `text`; nil for "max", and for a number that doesn't fit into an Int.
    private static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { !$0.isWhitespace }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(digits)
    }
}
