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
