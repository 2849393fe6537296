import Alcedo
import AlcedoTestSupport
import Foundation

/// The listings about stores of the program.
enum Stores {
    static func loader(over store: some ImageStore) throws -> ImageLoader {
        // region: stored-tier
        let tier = try StoredTier(store)
        let loader = ImageLoader(store: tier)
        // endregion
        return loader
    }

    static func fleet(
        _ disk: DiskStore.Settings, _ redis: some ImageStore, _ secret: Data,
        _ log: @escaping @Sendable (String) -> Void
    ) throws -> ImageLoader {
        // region: tiered-store
        let store = try TieredStore(local: DiskStore(disk), shared: redis) { event in
            log("\(event)")
        }
        var settings = StoredTier.Settings()
        settings.contents = .both
        settings.secret = secret  // the same for all servers
        settings.timeToLive = .seconds(86_400)
        let loader = ImageLoader(.server, store: try StoredTier(store, settings))
        // endregion
        return loader
    }

    static func check() async -> [StoreProblem] {
        // region: store-check
        let problems = await StoreCheck { Table() }.problems()
        // endregion
        return problems
    }

    #if canImport(Darwin) || os(Linux) && Encryption
    static func encryptedLoader(_ key: EncryptionKey) throws -> ImageLoader {
        // region: encrypted-store
        let disk = try DiskStore(DiskStore.Settings(name: "encrypted"))
        let store = try EncryptedStore(wrapping: disk, keys: [key], naming: key)
        let loader = ImageLoader(store: try StoredTier(store))
        // endregion
        return loader
    }

    static func rotated(_ disk: DiskStore, _ key: EncryptionKey) throws -> EncryptedStore {
        // region: rotated-store
        let new = EncryptionKey()
        let store = try EncryptedStore(wrapping: disk, keys: [new, key], naming: key)
        // endregion
        return store
    }
    #endif

    // region: table-store
    actor Table: ImageStore {
        private var rows: [String: (metadata: Data, body: Data)] = [:]

        func entry(for key: StoredKey, reading part: StoredPart) -> StoredEntry? {
            guard let row = rows[key.text],
                let metadata = StoredMetadata(bytes: row.metadata)
            else { return nil }
            return StoredEntry(metadata, body: part == .whole ? row.body : Data())
        }

        func store(
            _ body: StoredBody?, _ metadata: StoredMetadata
        ) async throws(ImageLoaderError) {
            if let body {
                rows[metadata.key.text] = (metadata.bytes, try await body.data)
            } else if let old = entry(for: metadata.key, reading: .whole),
                old.metadata.version == metadata.version
            {
                // A server has confirmed the entry.
                rows[metadata.key.text] = (metadata.bytes, old.body)
            }
        }

        func removeEntries(_ selection: StoredSelection) {
            for metadata in found(selection) { rows[metadata.key.text] = nil }
        }

        func listEntries(
            _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
        ) {
            body(found(selection))
        }

        private func found(_ selection: StoredSelection) -> [StoredMetadata] {
            let all = rows.values.compactMap { StoredMetadata(bytes: $0.metadata) }
            return all.filter { metadata in
                switch selection {
                case .all: true
                case .expired: metadata.expires.map { $0 <= Date() } ?? false
                case .keys(let keys): keys.contains(metadata.key)
                case .source(let source): metadata.key.source == source
                case .tag(let tag): metadata.tags.contains(tag)
                }
            }
        }
    }
    // endregion

    // region: small-bodies
    struct SmallBodies: ImageStore {
        let store: any ImageStore

        func entry(
            for key: StoredKey, reading part: StoredPart
        ) async throws(ImageLoaderError) -> StoredEntry? {
            try await store.entry(for: key, reading: part)
        }

        func store(
            _ body: StoredBody?, _ metadata: StoredMetadata
        ) async throws(ImageLoaderError) {
            if let body, body.count > 1 << 20 {
                // An earlier one, if any:
                try await store.removeEntries(.keys([metadata.key]))
            } else {
                try await store.store(body, metadata)
            }
        }

        func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
            try await store.removeEntries(selection)
        }

        func listEntries(
            _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
        ) async throws(ImageLoaderError) {
            try await store.listEntries(selection, body)
        }

        func flush() async { await store.flush() }
    }
    // endregion
}
