#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation

/// The stores, their tier, and the protocol that others implement.
enum StoreRows {
    static let all = requirements + disk + memory + encrypted + tiered + bodies + tier + check

    private static let key = StoredKey("http://host.test/a.png")
    private static var metadata: StoredMetadata { StoredMetadata(EntryMetadata(source: key.source), for: key) }

    // MARK: Stores

    private typealias Call = @Sendable (any ImageStore, Resumption) async throws -> Void

    private static let find: Call = { store, here in
        defer { here.note() }
        _ = try await store.entry(for: key, reading: .whole)
    }
    private static let save: Call = { store, here in
        let (body, metadata) = (StoredBody(Data([1])), metadata)
        defer { here.note() }
        try await store.store(body, metadata)
    }
    private static let remove: Call = { store, here in
        defer { here.note() }
        try await store.removeEntries(.keys([key]))
    }
    private static let list: Call = { store, here in
        defer { here.note() }
        try await store.listEntries(.all) { _ in }
    }
    private static let flush: Call = { store, here in
        defer { here.note() }
        await store.flush()
    }

    /// The requirements, called for a store in memory, and the default implementation of the last one.
    private static let requirements = [
        row("ImageStore.entry(for: StoredKey, reading: StoredPart)", find, throwsErrors: true),
        row("ImageStore.store(_: StoredBody?, _: StoredMetadata)", save, throwsErrors: true),
        row("ImageStore.removeEntries(_: StoredSelection)", remove, throwsErrors: true),
        row(
            "ImageStore.listEntries(_: StoredSelection, _: @Sendable ([StoredMetadata]) -> Void)", list,
            throwsErrors: true),
        row("ImageStore.flush()", flush, throwsErrors: false),
        onDisk("ImageStore.flush()", flush),
    ]

    private static let memory = [
        row("InMemoryStore.entry(for: StoredKey, reading: StoredPart)", find, throwsErrors: true),
        row("InMemoryStore.store(_: StoredBody?, _: StoredMetadata)", save, throwsErrors: true),
        row("InMemoryStore.removeEntries(_: StoredSelection)", remove, throwsErrors: true),
        row(
            "InMemoryStore.listEntries(_: StoredSelection, _: @Sendable ([StoredMetadata]) -> Void)", list,
            throwsErrors: true),
    ]

    private static let disk = [
        onDisk("DiskStore.entry(for: StoredKey, reading: StoredPart)", find),
        onDisk("DiskStore.store(_: StoredBody?, _: StoredMetadata)", save),
        onDisk("DiskStore.removeEntries(_: StoredSelection)", remove),
        onDisk("DiskStore.listEntries(_: StoredSelection, _: @Sendable ([StoredMetadata]) -> Void)", list),
    ]

    #if canImport(Darwin) || os(Linux) && Encryption
    private static let encrypted = [
        encrypted("entry(for: StoredKey, reading: StoredPart)", find, throwsErrors: true),
        encrypted("store(_: StoredBody?, _: StoredMetadata)", save, throwsErrors: true),
        encrypted("removeEntries(_: StoredSelection)", remove, throwsErrors: true),
        encrypted(
            "listEntries(_: StoredSelection, _: @Sendable ([StoredMetadata]) -> Void)", list, throwsErrors: true),
        encrypted("flush()", flush, throwsErrors: false),
    ]

    /// A call of an encrypted store over one in memory.
    private static func encrypted(_ name: String, _ call: @escaping Call, throwsErrors: Bool) -> Row {
        let encryptedCall: Call = { store, here in
            let key = EncryptionKey()
            try await call(EncryptedStore(wrapping: store, keys: [key], naming: key), here)
        }
        return row("EncryptedStore." + name, encryptedCall, throwsErrors: throwsErrors)
    }
    #else
    private static let encrypted: [Row] = []
    #endif

    private static let tiered = [
        ofTwo("TieredStore.entry(for: StoredKey, reading: StoredPart)", find, throwsErrors: true),
        ofTwo("TieredStore.store(_: StoredBody?, _: StoredMetadata)", save, throwsErrors: true),
        ofTwo("TieredStore.removeEntries(_: StoredSelection)", remove, throwsErrors: true),
        ofTwo(
            "TieredStore.listEntries(_: StoredSelection, _: @Sendable ([StoredMetadata]) -> Void)", list,
            throwsErrors: true),
        ofTwo("TieredStore.flush()", flush, throwsErrors: false),
    ]

    /// A call of a store of two, of which the local one fails if that is asked for.
    private static func ofTwo(_ name: String, _ call: @escaping Call, throwsErrors: Bool) -> Row {
        let local: Call = { store, here in
            try await call(TieredStore(local: store, shared: InMemoryStore()), here)
        }
        return row(name, local, throwsErrors: throwsErrors)
    }

    /// A call of a store in memory, which fails if that is asked for.
    private static func row(_ name: String, _ call: @escaping Call, throwsErrors: Bool) -> Row {
        let make: @Sendable (Bool, Scenario.Cancellation) -> Scenario = { isValid, cancelled in
            let store = InMemoryStore()
            if !isValid { store.failure = .storeFailed(UnderlyingError(CocoaError(.fileReadUnknown))) }
            return Scenario(isValid ? .value : .error, cancelled: cancelled) { try await call(store, $0) }
        }
        if !throwsErrors { return Row(name, { make(true, .never) }, { make(true, .beforeTheCall) }) }
        return Row(name, { make(true, .never) }, { make(true, .beforeTheCall) }, { make(false, .never) })
    }

    /// A call of a disk cache through the protocol, which never throws.
    private static func onDisk(_ name: String, _ call: @escaping Call) -> Row {
        let make: @Sendable (Scenario.Cancellation) throws -> Scenario = { cancelled in
            let stage = try LoaderStage()
            return Scenario(.value, cancelled: cancelled) { here in
                guard let store = stage.loader.diskCache else { return }
                try await call(store, here)
            }
        }
        return Row(name, { try make(.never) }, { try make(.beforeTheCall) })
    }

    // MARK: Bodies

    private static let bodies = [
        Row("StoredBody.data", { try await read(fails: false) }, { try await read(fails: true) }),
        Row("StoredBody.write(to: URL)", { try write(fails: false) }, { try write(fails: true) }),
    ]

    /// Reads a body from a file that the disk cache has given a name, so that it isn't mapped.
    private static func read(fails: Bool) async throws -> Scenario {
        let (temporary, calls) = (try TemporaryDirectory(), FaultySystemCalls())
        let store = DiskStore(valid: .bare(temporary.file("cache")), calls: calls)
        let empty = EntryMetadata(source: key.source)
        await store.store(Data([1]), empty, for: key, begun: store.ticket())
        await store.flush()
        let file = try await WorkerThreads("test", count: 1).run {
            Result {
                let file = try store.bodyPlace(above: 0).makeFile()
                try Data([1, 2]).withUnsafeBytes { bytes in try file.append(bytes) }
                return file
            }
        }.get()
        await store.store(.file(file), empty, for: key, begun: store.ticket())
        await store.flush()
        if fails { calls.fail(.pread, with: EIO) }
        return Scenario(fails ? .error : .value) { here in
            defer { here.note() }
            _ = try await StoredBody(.file(file)).data
            withExtendedLifetime((temporary, store)) {}
        }
    }

    private static func write(fails: Bool) throws -> Scenario {
        let temporary = try TemporaryDirectory()
        let file = temporary.url.appending(path: fails ? "none/file" : "file")
        return Scenario(fails ? .error : .value) { here in
            defer { here.note() }
            try await StoredBody(Data([1])).write(to: file)
            withExtendedLifetime(temporary) {}
        }
    }

    // MARK: The tier

    private static let tier = [
        ofTier("StoredTier.remove(_: CacheSelection)", throwsErrors: true) { tier, here in
            defer { here.note() }
            try await tier.remove(.tag("t"))
        },
        ofTier("StoredTier.remove(where: @escaping @Sendable (StoredMetadata) -> Bool)", throwsErrors: true) {
            tier, here in
            defer { here.note() }
            try await tier.remove { _ in true }
        },
        ofTier("StoredTier.flush()", throwsErrors: false) { tier, here in
            defer { here.note() }
            await tier.flush()
        },
        ofTier("ImageLoader.remove(_: CacheSelection)", throwsErrors: true) { tier, here in
            let loader = ImageLoader(store: tier)
            defer { here.note() }
            try await loader.remove(.prefix("http://host.test/"))
        },
    ]

    private static func ofTier(
        _ name: String, throwsErrors: Bool, _ call: @escaping @Sendable (StoredTier, Resumption) async throws -> Void
    ) -> Row {
        let make: @Sendable (Bool, Scenario.Cancellation) -> Scenario = { isValid, cancelled in
            let store: any ImageStore = isValid ? InMemoryStore() : WrappedStore(FailingStore())
            return Scenario(isValid || !throwsErrors ? .value : .error, cancelled: cancelled) { here in
                try await call(StoredTier(store), here)
            }
        }
        return Row(name, { make(true, .never) }, { make(true, .beforeTheCall) }, { make(false, .never) })
    }

    private static let check = [
        Row(
            "StoreCheck.problems()",
            {
                Scenario(.value) { here in
                    let check = StoreCheck(writers: 1) { InMemoryStore() }
                    defer { here.note() }
                    _ = await check.problems()
                }
            })
    ]
}
#endif
