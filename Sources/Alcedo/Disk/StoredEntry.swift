package import Foundation

/// An entry as found by a look-up: its bytes and metadata.
package struct StoredEntry: Sendable {
    package let body: Data
    let encodedMetadata: Data

    init(body: Data, encodedMetadata: Data) {
        self.body = body
        self.encodedMetadata = encodedMetadata
    }

    init(_ contents: EntryFile.Contents) { self.init(body: contents.body, encodedMetadata: contents.tail.metadata) }

    /// The metadata; nil when this version can't read it.
    package var metadata: EntryMetadata? { EntryMetadata(encodedMetadata) }
}
