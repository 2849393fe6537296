import Alcedo
import Foundation

/// A disk cache entry, as it is printed.
struct CacheEntryReport: Encodable, Equatable {
    var digest: String
    var file: String
    var bytes: Int
    var url: String
    /// "original", or "processed" for an image made from one.
    var kind: String
    var format: String?
    var width: Int?
    var height: Int?
    var tags: [String]
    var storedAt: String
    var lastUsedAt: String
    var expiresAt: String?
    var freshUntil: String?
    var isExpired: Bool

    init(_ entry: DiskEntry, at now: Date) {
        digest = entry.digest
        file = entry.file.path
        bytes = entry.byteCount
        url = ShownText.of(url: entry.url)
        kind = entry.isProcessed ? "processed" : "original"
        format = entry.format?.rawValue
        width = entry.size?.width
        height = entry.size?.height
        tags = entry.tags.sorted()
        storedAt = CacheMoment.text(entry.storedAt)
        lastUsedAt = CacheMoment.text(entry.lastUsedAt)
        expiresAt = entry.expiresAt.map(CacheMoment.text)
        freshUntil = entry.freshness.map { CacheMoment.text($0.end) }
        isExpired = entry.isExpired(at: now)
    }

    /// Returns one line per entry, easy to read for people and easy to split for programs.
    static func lines(_ reports: [Self]) -> [String] {
        TextTable.lines(reports.map(\.cells), leading: [0, 2, 3, 4, 5, 6])
    }

    private var cells: [String] {
        var size = "-"
        if let width, let height { size = "\(width)×\(height)" }
        let labels = tags.isEmpty ? "" : "  [\(tags.joined(separator: ", "))]"
        let text = url + labels + (isExpired ? "  (expired)" : "")
        return [digest, "\(bytes)", format ?? "-", kind, size, lastUsedAt, text].map(OneLine.of)
    }
}

extension DiskEntry {
    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}
