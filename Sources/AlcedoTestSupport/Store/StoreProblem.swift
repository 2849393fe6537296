/// A way in which a store violates the requirements of `ImageStore`.
public struct StoreProblem: Sendable, Hashable, CustomStringConvertible {
    /// The requirements that are checked.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// A look-up finds the bytes and the metadata that were stored under its key, and nothing under other keys.
        case entries
        /// A body of any size is stored, whether it is in memory or in a file.
        case bodies
        /// Storing an entry replaces the bytes and the metadata of an earlier one.
        case replacement
        /// Metadata without bytes replaces that of an entry of the same version, and changes nothing otherwise.
        case renewal
        /// Entries are removed by their keys, and all entries of a source by that.
        case removalByKey
        /// Entries are removed by each of their tags.
        case removalByTag
        /// Entries that have expired can be removed together, and so can all entries.
        case removalOfAll
        /// Entries are listed with their metadata. A store that can't list all of them throws
        /// `ImageLoaderError.unsupportedSelection`.
        case listing
        /// Entries of many writers at once are whole: the bytes are those that the metadata was stored with.
        case concurrentWriters
        /// An entry that was removed stays removed, even if others are stored at the same time.
        case removedEntries
        /// A cancelled call leaves each entry whole, absent or as it was.
        case cancellation
        /// All bodies together take no more than the store's limit.
        case limits
        /// No call fails.
        case errors
    }

    /// The violated requirement.
    public let rule: Rule
    /// A description of the violation.
    public let detail: String

    public var description: String { "\(rule.rawValue): \(detail)" }
}
