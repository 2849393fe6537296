package import Foundation

/// An entry as it is found: its bytes, and what is known of them.
package struct StoredEntry: Sendable {
    package let body: Data
    let encodedMetadata: Data

    /// What stands beside the bytes; nil when this version can't read it.
    package var metadata: EntryMetadata? { EntryMetadata(encodedMetadata) }
}
