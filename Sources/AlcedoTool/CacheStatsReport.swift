import Alcedo
import Foundation

/// The contents of a disk cache, as they are printed.
struct CacheStatsReport: Encodable, Equatable {
    /// A subset of the entries.
    struct Share: Encodable, Equatable {
        var entries = 0
        var bytes = 0

        init(_ entries: [DiskEntry] = []) {
            self.entries = entries.count
            bytes = .saturatingSum(entries.map(\.byteCount))
        }
    }

    var directory: String
    var entries: Int
    var bytes: Int
    /// The default limit in bytes; nil if the free space is unknown.
    var defaultLimit: Int?
    var oldestUse: String?
    var newestUse: String?
    var formats: [String: Share]
    var originals: Share
    var processed: Share
    var expired: Share
    /// The number of files without a readable description.
    var unreadable: Int
    var temporaryBytes: Int
    var discardedBytes: Int

    /// - Parameters:
    ///   - entries: The readable entries, including expired ones, least recently used first.
    ///   - statistics: The statistics of their cache.
    init(_ entries: [DiskEntry], _ statistics: DiskStatistics, in directory: CacheDirectory, at now: Date) {
        self.directory = directory.url.path
        self.entries = statistics.entryCount
        bytes = statistics.byteCount
        defaultLimit = directory.defaultMaximumBytes(held: statistics.byteCount)
        oldestUse = entries.map(\.lastUsedAt).min().map(CacheMoment.text)
        newestUse = entries.map(\.lastUsedAt).max().map(CacheMoment.text)
        formats = Dictionary(grouping: entries) { $0.format?.rawValue ?? "unknown" }.mapValues { Share($0) }
        originals = Share(entries.filter { !$0.isProcessed })
        processed = Share(entries.filter(\.isProcessed))
        expired = Share(entries.filter { $0.isExpired(at: now) })
        unreadable = max(0, statistics.entryCount - entries.count)
        temporaryBytes = 0
        discardedBytes = 0
    }

    var lines: [String] {
        var rows = [
            ["directory", directory], ["entries", "\(entries)"], ["bytes", ByteText.exact(bytes)],
            ["default limit", defaultLimit.map(ByteText.exact) ?? "-"],
            ["originals", Self.text(originals)], ["processed", Self.text(processed)],
        ]
        rows += formats.sorted { $0.key < $1.key }.map { ["format \($0.key)", Self.text($0.value)] }
        rows += [
            ["oldest use", oldestUse ?? "-"], ["newest use", newestUse ?? "-"], ["expired", Self.text(expired)],
            ["unreadable", "\(unreadable)"], ["temporary", ByteText.exact(temporaryBytes)],
            ["discarded", ByteText.exact(discardedBytes)],
        ]
        return TextTable.lines(rows, leading: [0, 1]).map(OneLine.of)
    }

    private static func text(_ share: Share) -> String { "\(share.entries), \(ByteText.exact(share.bytes)) bytes" }
}
