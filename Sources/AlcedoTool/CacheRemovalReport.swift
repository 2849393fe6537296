import Alcedo

/// The entries removed from a disk cache, or the ones that would be, as they are printed.
struct CacheRemovalReport: Encodable, Equatable {
    struct Entry: Encodable, Equatable {
        var digest: String
        var bytes: Int
        /// nil if the file doesn't contain its URL.
        var url: String?

        init(_ entry: RemovedEntry, _ urls: [String: String]) {
            digest = entry.digest
            bytes = entry.byteCount
            url = urls[entry.digest]
        }
    }

    var entries: Int
    var bytes: Int
    var removed: [Entry]
    /// Arguments that matched nothing in the cache.
    var notFound: [String] = []
    /// Whether nothing was removed.
    var isDryRun = false

    /// - Parameter urls: URLs by digest.
    init(_ removed: [RemovedEntry], _ urls: [String: String]) {
        self.removed = removed.map { Entry($0, urls) }
        entries = removed.count
        bytes = .saturatingSum(removed.map(\.byteCount))
    }

    var lines: [String] {
        let rows = removed.map { entry in
            [isDryRun ? "would remove" : "removed", entry.digest, "\(entry.bytes)", OneLine.of(entry.url ?? "-")]
        }
        let count = "\(entries) \(entries == 1 ? "entry" : "entries")"
        let sum = "\(count) \(isDryRun ? "would be removed" : "removed"), \(bytes) bytes"
        return TextTable.lines(rows, leading: [0, 1, 3]) + [sum]
    }
}
