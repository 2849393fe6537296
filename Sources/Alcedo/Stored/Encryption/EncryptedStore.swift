#if canImport(Darwin) || os(Linux) && Encryption
import Foundation
import Synchronization

/// A store that encrypts what it stores in another one.
///
/// Bodies and metadata are encrypted with AES-256-GCM. The wrapped store finds entries by digests of their URLs, keys
/// and tags (HMAC-SHA-256). See <doc:Stores> for what remains visible.
///
/// ```swift
/// let disk = try DiskStore(DiskStore.Settings(name: "encrypted"))
/// let store = try EncryptedStore(wrapping: disk, keys: [key], naming: key)
/// let loader = ImageLoader(store: try StoredTier(store))
/// ```
///
/// An entry that was changed, or encrypted with a key that isn't given, can't be read: look-ups throw
/// ``ImageLoaderError/storeFailed(_:)``, which a tier reports as an event, and the image is downloaded again. If an
/// earlier state of an entry is put back, that isn't detected.
///
/// A body is encrypted in memory, as a whole. A loader that uses this store keeps bodies of any size in memory while
/// they arrive, instead of receiving large ones into files. On Linux, the store requires the trait `Encryption`.
public final class EncryptedStore: ImageStore {
    private let store: any ImageStore
    private let seal: EntrySeal
    /// Encrypt and decrypt many bytes.
    private let workers = WorkerThreads("seal", count: 1)

    /// The maximum number of bytes that are encrypted or decrypted on the calling thread, in about 0.1 milliseconds.
    private static let sealedHere = 256 << 10
    /// How many bytes can be encrypted while one is digested.
    private static let digestCost = 16

    /// Creates a store.
    ///
    /// To replace the key that encrypts, put the new one first, and leave out the old one when no entry needs it any
    /// longer. Replace a key after at most a billion stored entries: the nonces are random, and NIST SP 800-38D allows
    /// 2³² of them for each key.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the entries. It should be empty at first, because it still contains what was
    ///     stored without encryption.
    ///   - keys: The first key encrypts. The others only decrypt.
    ///   - naming: The key of the digests; it may be one of `keys`. With another one, no earlier entry is found.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` if there is no key.
    public init(
        wrapping store: any ImageStore, keys: [EncryptionKey], naming: EncryptionKey
    ) throws(ImageLoaderError) {
        guard let seal = EntrySeal(keys, naming: naming) else {
            throw .unsupportedConfiguration("an EncryptedStore without a key")
        }
        (self.store, self.seal) = (store, seal)
    }

    /// Returns the entry stored under `key`; see ``ImageStore/entry(for:reading:)``.
    ///
    /// - Throws: ``ImageLoaderError/storeFailed(_:)`` if the entry can't be decrypted, and the errors of the wrapped
    ///   store.
    public func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        try await Result.ofStore { [self] () async throws(ImageLoaderError) in try await find(key, part) }.get()
    }

    /// Stores an entry, or replaces the metadata of an existing one; see ``ImageStore/store(_:_:)``.
    ///
    /// - Throws: ``ImageLoaderError/fileUnreadable(path:reason:)`` if the body can't be read, and the errors of the
    ///   wrapped store.
    public func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        try await Result.ofStore { [self] () async throws(ImageLoaderError) in try await put(body, metadata) }.get()
    }

    /// Removes the selected entries; see ``ImageStore/removeEntries(_:)``.
    ///
    /// - Throws: The errors of the wrapped store.
    public func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        try await Result.ofStore { [self] () async throws(ImageLoaderError) in
            try await store.removeEntries(named(selection))
        }.get()
    }

    /// Passes the metadata of the selected entries to `body`, in batches of at most 256.
    ///
    /// Entries that can't be decrypted are removed, because nothing else can select them.
    ///
    /// - Throws: The errors of the wrapped store.
    public func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        try await Result.ofStore { [self] () async throws(ImageLoaderError) in try await list(selection, body) }.get()
    }

    /// Waits until everything stored and removed so far will survive the end of the process.
    public func flush() async { await store.flush() }

    // MARK: Work

    private func find(_ key: StoredKey, _ part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        let name = await name(of: key)
        guard let found = try await store.entry(for: name, reading: part) else { return nil }
        return try await work(found.body.count) { [seal] () throws(EntrySeal.Failure) in
            // A store must not return another entry, and this one's name is part of what is checked.
            guard found.metadata.key == name else { throw .changed }
            return try seal.opened(found, readsBody: part == .whole)
        }
    }

    private func put(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        // Without a version, no entry is known to have the same body.
        if body == nil, metadata.version == nil { return }
        let data = try await body?.data
        let byteCount = (data?.count ?? 0) + metadata.key.text.utf8.count * Self.digestCost
        let sealed = try await work(byteCount) { [seal] () throws(EntrySeal.Failure) in
            var generator = SystemRandomNumberGenerator()
            return try seal.sealed(data, metadata, using: &generator)
        }
        try await store.store(sealed.body.map { StoredBody($0) }, sealed.metadata)
    }

    private func list(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        let found = Mutex<[StoredMetadata]>([])
        try await store.listEntries(named(selection)) { part in
            // Without the memory around it, which may be that of a file.
            let part = part.map { StoredMetadata($0.key, Data($0.encoded), expires: $0.expiresAt) }
            found.withLock { $0 += part }
        }
        let sealed = found.withLock { $0 }
        var unreadable: [StoredKey] = []
        for start in stride(from: 0, to: sealed.count, by: Self.batch) {
            let part = sealed[start..<min(start + Self.batch, sealed.count)]
            let opened = await workers.run { [seal] in
                part.map { one in Result { () throws(EntrySeal.Failure) in try seal.opened(one) } }
            }
            body(opened.compactMap { if case .success(let metadata) = $0 { metadata } else { nil } })
            for case (let one, .failure) in zip(part, opened) { unreadable.append(one.key) }
        }
        if !unreadable.isEmpty { try await store.removeEntries(.keys(unreadable)) }
    }

    private static let batch = 256

    private func name(of key: StoredKey) async -> StoredKey {
        await run(key.text.utf8.count * Self.digestCost) { [seal] in seal.name(of: key) }
    }

    private func named(_ selection: StoredSelection) async -> StoredSelection {
        await workers.run { [seal] in seal.selection(selection) }
    }

    private func work<Value: Sendable>(
        _ byteCount: Int, _ work: @escaping @Sendable () throws(EntrySeal.Failure) -> Value
    ) async throws(ImageLoaderError) -> Value {
        let outcome = await run(byteCount) { Result { () throws(EntrySeal.Failure) in try work() } }
        return try outcome.mapError { ImageLoaderError.storeFailed(UnderlyingError($0)) }.get()
    }

    private func run<Value: Sendable>(_ byteCount: Int, _ work: @escaping @Sendable () -> Value) async -> Value {
        byteCount <= Self.sealedHere ? work() : await workers.run(work)
    }
}

extension EncryptedStore: ConfidentialStore {
    var isConfidential: Bool { true }
}
#endif
