package import Alcedo

/// A store that passes all calls on to another one, after a closure that may delay them or make them fail.
package struct WrappedStore: ImageStore {
    package enum Call: Sendable {
        case entry, store, removal, list
    }

    private let store: any ImageStore
    private let before: @Sendable (Call) async throws(ImageLoaderError) -> Void

    package init(
        _ store: any ImageStore,
        before: @escaping @Sendable (Call) async throws(ImageLoaderError) -> Void = { _ in }
    ) {
        (self.store, self.before) = (store, before)
    }

    package func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        try await before(.entry)
        return try await store.entry(for: key, reading: part)
    }

    package func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        try await before(.store)
        try await store.store(body, metadata)
    }

    package func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        try await before(.removal)
        try await store.removeEntries(selection)
    }

    package func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        try await before(.list)
        try await store.listEntries(selection, body)
    }

    package func flush() async { await store.flush() }
}
