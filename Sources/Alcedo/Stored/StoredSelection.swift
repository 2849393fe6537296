/// A selection of a store's entries.
public enum StoredSelection: Sendable, Hashable {
    /// All entries.
    case all
    /// Entries that have expired; see ``StoredMetadata/expires``.
    case expired
    /// The entries with these keys.
    case keys([StoredKey])
    /// Entries of one source, whatever else selects their bytes; see ``StoredKey/source``.
    case source(String)
    /// Entries with a tag; see ``StoredMetadata/tags``.
    case tag(String)
}

extension StoredSelection {
    /// The digest of the source of all selected entries; nil if they may have several.
    var sourceDigest: UInt64? {
        switch self {
        case .all, .expired, .tag: return nil
        case .source(let source): return EntryName.digest(ofSource: source)
        case .keys(let keys):
            let sources = Set(keys.map(\.name.source))
            return sources.count == 1 ? sources.first : nil
        }
    }
}
