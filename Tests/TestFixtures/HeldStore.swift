import Alcedo
import AlcedoTestSupport

/// A store in memory whose calls wait until the test lets them go on.
final class HeldStore: ImageStore {
    let memory = InMemoryStore()
    let reads = Hold()
    /// Reads that have found something.
    let answers = Hold()
    let writes = Hold()

    func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        await reads.pass()
        let found = try await memory.entry(for: key, reading: part)
        if found != nil { await answers.pass() }
        return found
    }

    func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        await writes.pass()
        try await memory.store(body, metadata)
    }

    func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        try await memory.removeEntries(selection)
    }

    func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        try await memory.listEntries(selection, body)
    }
}
