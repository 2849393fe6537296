package import Foundation

/// An entry as it is found: its bytes, and what is known of them.
package struct StoredEntry: Sendable {
    package let body: Data
    let encodedMetadata: Data

    init(body: Data, encodedMetadata: Data) {
        self.body = body
        self.encodedMetadata = encodedMetadata
    }

    init(_ contents: EntryFile.Contents) { self.init(body: contents.body, encodedMetadata: contents.tail.metadata) }

    /// What stands beside the bytes; nil when this version can't read it.
    package var metadata: EntryMetadata? { EntryMetadata(encodedMetadata) }
}
