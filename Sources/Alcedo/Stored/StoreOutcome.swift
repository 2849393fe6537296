import Synchronization

// Calls of a program's store. They run on no actor, and return what the store throws: see Docs/Decisions/0017.

extension Result where Success: Sendable, Failure == ImageLoaderError {
    /// Calls the store.
    @concurrent static func ofStore(
        _ call: @Sendable () async throws(ImageLoaderError) -> Success
    ) async -> Self {
        do throws(ImageLoaderError) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }
}

extension ImageStore {
    /// Returns the metadata of the selected entries.
    @concurrent func listed(_ selection: StoredSelection) async -> Result<[StoredMetadata], ImageLoaderError> {
        let found = Mutex<[StoredMetadata]>([])
        return await Result.ofStore { () async throws(ImageLoaderError) in
            try await listEntries(selection) { part in found.withLock { $0 += part } }
            return found.withLock { $0 }
        }
    }
}
