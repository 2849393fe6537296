import Foundation

/// New metadata of entries on disk that isn't written yet. Look-ups find it immediately.
struct Renewals: Sendable {
    private struct Renewal: Sendable {
        /// The version that the entry must have.
        let version: UInt64
        let metadata: StoredMetadata
        let plan: DiskIndex.Version
    }

    private var renewals: [EntryName: Renewal] = [:]

    var isEmpty: Bool { renewals.isEmpty }

    /// - Parameters:
    ///   - version: The version that the entry must have.
    ///   - plan: Identifies the order to write it.
    mutating func begin(_ name: EntryName, _ version: UInt64, _ metadata: StoredMetadata, _ plan: DiskIndex.Version) {
        renewals[name] = Renewal(version: version, metadata: metadata, plan: plan)
    }

    /// Called when an order has been carried out.
    mutating func end(_ name: EntryName, _ plan: DiskIndex.Version) {
        if renewals[name]?.plan == plan { renewals[name] = nil }
    }

    func contains(_ name: EntryName) -> Bool { renewals[name] != nil }

    /// An entry with its new metadata; nil if it isn't being renewed.
    func renewed(_ entry: StoredEntry, _ name: EntryName) -> StoredEntry? {
        guard let renewal = renewals[name] else { return nil }
        guard entry.metadata.version == renewal.version else { return entry }
        return StoredEntry(renewal.metadata, body: entry.body)
    }
}
