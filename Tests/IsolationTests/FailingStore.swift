import Alcedo
import Foundation

/// A store that fails. Its functions are isolated to its actor when they throw.
actor FailingStore: ImageStore {
    private let error = ImageLoaderError.storeFailed(UnderlyingError(CocoaError(.fileReadUnknown)))

    func entry(for key: StoredKey, reading part: StoredPart) throws(ImageLoaderError) -> StoredEntry? { throw error }

    func store(_ body: StoredBody?, _ metadata: StoredMetadata) throws(ImageLoaderError) { throw error }

    func removeEntries(_ selection: StoredSelection) throws(ImageLoaderError) { throw error }

    func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) throws(ImageLoaderError) {
        throw error
    }
}
