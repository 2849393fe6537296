package import Foundation

/// An entry as found by a look-up: its bytes and metadata.
package struct StoredEntry: Sendable {
    package let body: Data
    let encodedMetadata: Data

    /// The metadata; nil when this version can't read it.
    package var metadata: EntryMetadata? { EntryMetadata(encodedMetadata) }
}
