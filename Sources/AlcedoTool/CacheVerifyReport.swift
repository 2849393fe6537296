import Alcedo

/// The intact and damaged entries of a disk cache, as they are printed.
struct CacheVerifyReport: Encodable, Equatable {
    struct Damaged: Encodable, Equatable {
        var digest: String
        var bytes: Int
        /// nil if the file no longer contains its URL.
        var url: String?
        var reason: String?
    }

    struct Unreadable: Encodable, Equatable {
        var file: String
        var reason: String
    }

    var whole: Int
    /// The damaged entries, which have been removed.
    var damaged: [Damaged]
    /// Files that the system didn't allow the tool to read, whether intact or not.
    var unreadable: [Unreadable]

    /// - Parameters:
    ///   - failures: The failures reported for files that couldn't be read.
    ///   - urls: URLs by digest.
    init(
        _ outcome: DiskVerification, _ failures: [CacheFailure], _ urls: [String: String]
    ) {
        whole = outcome.wholeCount
        let digests = Set(outcome.damaged.map(\.digest))
        let reasons = Dictionary(failures.map { ($0.fileName, $0.reason) }) { first, _ in first }
        damaged = outcome.damaged.map { entry in
            Damaged(
                digest: entry.digest, bytes: entry.byteCount, url: urls[entry.digest], reason: reasons[entry.digest])
        }
        unreadable = failures.filter { !digests.contains($0.fileName) }.map {
            Unreadable(file: $0.path, reason: $0.reason)
        }
    }

    var isGood: Bool { damaged.isEmpty && unreadable.isEmpty }

    var lines: [String] {
        let bad = damaged.map { "damaged  \($0.digest)  \($0.url ?? "-"): \($0.reason ?? "-")" }
        let closed = unreadable.map { "unreadable  \($0.file): \($0.reason)" }
        let sum = "\(whole) whole, \(damaged.count) damaged" + (closed.isEmpty ? "" : ", \(closed.count) unreadable")
        return (bad + closed).map(OneLine.of) + [sum]
    }
}

extension CacheFailure {
    /// The last part of the path; for an entry's file, that is the entry's digest.
    var fileName: String { path.split(separator: "/").last.map(String.init) ?? "" }
}
