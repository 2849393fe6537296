import Alcedo

/// The entries removed from a disk cache, as they are printed.
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

    /// - Parameter urls: URLs by digest.
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
