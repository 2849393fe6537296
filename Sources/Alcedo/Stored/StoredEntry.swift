public import Foundation

/// An entry as a store returns it.
public struct StoredEntry: Sendable {
    /// The entry's metadata, as it was stored last.
    public var metadata: StoredMetadata
    /// The entry's bytes, as they were stored. Empty if only the metadata was asked for.
    public var body: Data

    /// Creates an entry that was found in a store.
    public init(_ metadata: StoredMetadata, body: Data) {
        self.metadata = metadata
        self.body = body
    }
}

/// The part of an entry that a look-up needs.
public enum StoredPart: Sendable, Hashable {
    /// The metadata and the bytes.
    case whole
    /// The metadata. The store may leave the bytes out.
    case metadata
}
