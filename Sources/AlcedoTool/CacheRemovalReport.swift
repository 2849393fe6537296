import Alcedo

/// What was removed from a disk cache, as it is printed.
struct CacheRemovalReport: Encodable, Equatable {
    struct Entry: Encodable, Equatable {
        var digest: String
        var bytes: Int
        /// nil when the file did not say it.
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
    /// Texts that name nothing in the cache.
    var notFound: [String] = []

    /// - Parameter urls: by digests.
    init(_ removed: [RemovedEntry], _ urls: [String: String]) {
        self.removed = removed.map { Entry($0, urls) }
        entries = removed.count
        bytes = .saturatingSum(removed.map(\.byteCount))
    }

    var lines: [String] {
        let rows = removed.map { ["removed", $0.digest, "\($0.bytes)", OneLine.of($0.url ?? "-")] }
        let sum = "\(entries) \(entries == 1 ? "entry" : "entries") removed, \(bytes) bytes"
        return TextTable.lines(rows, leading: [0, 1, 3]) + [sum]
    }
}
