import Alcedo

/// The intact and damaged entries of a disk cache, as they are printed.
struct CacheVerifyReport: Encodable, Equatable {
    struct Damaged: Encodable, Equatable {
        var digest: String
        var bytes: Int
        /// nil if the file no longer contains its URL.
        var url: String?
        var reason: String?
        /// False in a dry run, and if the file couldn't be removed.
        var isRemoved: Bool
    }

    struct Unreadable: Encodable, Equatable {
        var file: String
        var reason: String
    }

    /// The number of intact entries.
    var intact: Int
    var damaged: [Damaged]
    /// Files that the system didn't allow the tool to read, whether intact or not.
    var unreadable: [Unreadable]
    /// Whether damaged entries are only reported.
    var isDryRun: Bool

    /// - Parameters:
    ///   - failures: The failures reported for files that couldn't be read.
    ///   - stuck: The names of files that couldn't be removed.
    ///   - urls: URLs by digest.
    init(
        _ outcome: DiskVerification, _ failures: [CacheFailure], stuck: Set<String>, _ urls: [String: String],
        isDryRun: Bool
    ) {
        self.isDryRun = isDryRun
        intact = outcome.wholeCount
        let digests = Set(outcome.damaged.map(\.digest))
        let reasons = Dictionary(failures.map { ($0.fileName, $0.reason) }) { first, _ in first }
        damaged = outcome.damaged.map { entry in
            Damaged(
                digest: entry.digest, bytes: entry.byteCount, url: urls[entry.digest], reason: reasons[entry.digest],
                isRemoved: !isDryRun && !stuck.contains(entry.digest))
        }
        unreadable = failures.filter { !digests.contains($0.fileName) }.map {
            Unreadable(file: $0.path, reason: $0.reason)
        }
    }

    var isGood: Bool { damaged.isEmpty && unreadable.isEmpty }

    var lines: [String] {
        let bad = damaged.map { "damaged  \($0.digest)  \($0.url ?? "-"): \($0.reason ?? "-")" }
        let closed = unreadable.map { "unreadable  \($0.file): \($0.reason)" }
        let sum =
            "\(intact) intact, \(damaged.count) damaged\(fate)"
            + (closed.isEmpty ? "" : ", \(closed.count) unreadable")
        return (bad + closed).map(OneLine.of) + [sum]
    }

    /// Whether the damaged entries have been removed.
    private var fate: String {
        if damaged.isEmpty { return "" }
        if isDryRun { return " (would be removed)" }
        let removed = damaged.count(where: \.isRemoved)
        return removed == damaged.count ? " (removed)" : " (\(removed) removed)"
    }
}

extension CacheFailure {
    /// The last part of the path; for an entry's file, that is the entry's digest.
    var fileName: String { path.split(separator: "/").last.map(String.init) ?? "" }
}
