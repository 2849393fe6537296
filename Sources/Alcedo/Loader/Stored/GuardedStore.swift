import Foundation

/// A store of the program's own, with the checks that a loader needs.
///
/// Each call of the store runs in a Task of its own, because the store may be slow, or never answer: a caller waits
/// until the deadline at most, and a change is still carried out after that. A change isn't cancelled.
final class GuardedStore: Sendable {
    typealias Ticket = StoreLedger.Ticket

    /// The outcome of a change.
    struct Outcome {
        /// Taken when the change began; nil if it didn't begin.
        var ticket: Ticket?
        /// Nil if the change succeeded or hasn't ended yet, or didn't begin because its source was removed.
        var error: ImageLoaderError?
    }

    let store: any ImageStore
    let settings: StoredTier.Settings
    let time: TimeSource
    let ledger: StoreLedger
    let late = LateReads()
    private let key: DirectoryKey
    private let onFailure: @Sendable (CacheFailure) -> Void
    /// Compute digests and checksums of many bytes.
    private let workers = WorkerThreads("store", count: 1)

    init(
        _ store: any ImageStore, _ settings: StoredTier.Settings, _ time: TimeSource,
        ledger: StoreLedger = StoreLedger(), onFailure: @escaping @Sendable (CacheFailure) -> Void
    ) {
        (self.store, self.settings, self.time, self.ledger) = (store, settings, time, ledger)
        (key, self.onFailure) = (settings.key, onFailure)
    }

    func report(_ operation: CacheFailure.Operation, _ name: String, _ reason: String) {
        onFailure(CacheFailure(operation: operation, path: name, reason: reason))
    }

    /// Ends the threads until they are needed again.
    func rest() { workers.rest() }

    // MARK: Keys

    func key(of resource: ResourceKey) async -> StoredKey {
        let (source, secret, isPrivate) = resource.splitSecret
        if secret.isEmpty { return StoredKey(source) }
        let make = { @Sendable [key] in
            StoredKey(source, secret: secret, isPrivate: isPrivate, under: key).withoutSecret
        }
        return secret.utf8.count <= Self.digestedHere ? make() : await workers.run(make)
    }

    /// The longest secret, in bytes, that is digested on the calling thread.
    private static let digestedHere = 8 << 10
    /// The longest body, in bytes, whose checksum is computed on the calling thread.
    private static let checkedHere = 1 << 20
    /// The bytes that a write takes besides its body, key and metadata.
    private static let changeBytes = 4 << 10

    // MARK: Looking up

    /// Returns the entry stored under `key`, or nil if it is absent, expired or damaged, or was removed meanwhile.
    ///
    /// - Parameter waits: Whether to wait for a store that doesn't answer within its deadline.
    func entry(for key: StoredKey, readsBody: Bool, waits: Bool) async -> StoredEntry? {
        let (ticket, source) = (ledger.ticket(), key.name.source)
        guard ledger.permitsReading(ticket, source) else { return nil }
        let answer = await read(key, within: waits ? nil : settings.deadline) {
            [store] () async throws(ImageLoaderError) in
            try await store.entry(for: key, reading: readsBody ? .whole : .metadata)
        }
        guard let found = answer ?? nil, found.metadata.key == key,
            found.metadata.expiresAt.map({ $0 > time.secondsSince1970() }) ?? true
        else { return nil }
        if readsBody, let check = found.metadata.check, await self.check(of: .memory(found.body)) != check {
            report(.read, key.source, "not a whole entry")
            await discard(key)
            return nil
        }
        // Checked last, because the entry may have been removed while it was read.
        return ledger.permitsReading(ticket, source) ? found : nil
    }

    /// The length and checksum of a body; nil if it can't be read.
    private func check(of body: Body) async -> BodyCheck? {
        if case .memory(let data) = body, data.count <= Self.checkedHere { return BodyCheck(data) }
        let check = await workers.run { Result { () throws(FileError) in BodyCheck(try body.read()) } }
        switch check {
        case .success(let check): return check
        case .failure(let error):
            onFailure(CacheFailure(.read, error))
            return nil
        }
    }

    /// The metadata of everything made from an entry; empty if the store failed or didn't answer in time.
    private func made(of key: StoredKey) async -> [StoredMetadata] {
        let found = await read(key, within: settings.deadline) { [store] () async throws(ImageLoaderError) in
            try await store.listed(.madeFrom(key)).get()
        }
        return (found ?? []).filter { $0.decoded?.original == key.text }
    }

    // MARK: Storing

    /// Stores an entry, unless its key was removed since `ticket` was taken.
    ///
    /// - Parameters:
    ///   - timeToLive: Nil applies the tier's.
    ///   - kind: A write or a replacement.
    /// - Returns: False, having done nothing, if the key was removed.
    @discardableResult
    func store(
        _ body: Body, _ metadata: EntryMetadata, for key: StoredKey, timeToLive: Duration?, begun ticket: Ticket,
        as kind: LedgerTable.Kind = .write
    ) async -> Bool {
        let encoded = metadata.encoded
        let tailBytes = encoded.count + key.text.utf8.count
        guard tailBytes <= EntryFile.tailByteLimit else {
            report(.write, key.source, "\(tailBytes) bytes of key and metadata, more than \(EntryFile.tailByteLimit)")
            return true
        }
        let expires = time.expiry(after: timeToLive ?? settings.timeToLive)
        let bytes = body.stagedBytes + tailBytes + Self.changeBytes
        let outcome = await change(kind, .write, of: key.source, begun: ticket, bytes: bytes) {
            [self] ticket async throws(ImageLoaderError) in
            // It may have been removed while the change waited for its turn.
            guard ledger.permits(ticket, key.name.source), let check = await check(of: body) else { return }
            try await store.store(StoredBody(body), StoredMetadata(key, encoded, expires: expires, check: check))
        }
        return outcome.ticket != nil || outcome.error != nil
    }

    /// Replaces the responses of an entry and of everything made from it that have the same version.
    func confirm(_ response: StoredResponse, for key: StoredKey) async {
        let ticket = ledger.ticket()
        var found = await made(of: key)
        if let own = await entry(for: key, readsBody: false, waits: false) { found.insert(own.metadata, at: 0) }
        let renewed = found.compactMap { old in
            old.decoded?.confirmed(by: response).map {
                StoredMetadata(old.key, $0.encoded, expires: old.expiresAt, check: old.check)
            }
        }
        if renewed.isEmpty { return }
        await change(.write, .write, of: key.source, begun: ticket) { [store] _ async throws(ImageLoaderError) in
            for metadata in renewed { try await store.store(nil, metadata) }
        }
    }

    // MARK: Removing

    /// Removes an entry and everything made from it, unless the key was removed since `ticket` was taken.
    ///
    /// Look-ups don't find them from now on, even if the store fails.
    ///
    /// - Parameter waits: Whether to return only when the store has removed them, however long it takes.
    /// - Returns: The ticket for storing a replacement; nil if nothing was done.
    @discardableResult
    func hide(_ key: StoredKey, begun ticket: Ticket? = nil, waits: Bool = false) async -> Ticket? {
        await change(.removal, .remove, of: key.source, begun: ticket, waits: waits) {
            [store] _ async throws(ImageLoaderError) in
            try await store.removeEntries(.keys([key]))
            try await store.removeEntries(.madeFrom(key))
        }.ticket
    }

    /// Removes an entry whose bytes can't be used. Work that began earlier may still store new bytes.
    func discard(_ key: StoredKey) async { await remove([key], of: key.source) }

    /// Removes everything made from another version of an entry.
    func removeMade(of key: StoredKey, replacedBy response: StoredResponse) async {
        let outdated = await made(of: key).filter { $0.response.map(response.isKnownToDiffer) ?? false }
        if !outdated.isEmpty { await remove(outdated.map(\.key), of: key.source) }
    }

    private func remove(_ keys: [StoredKey], of source: String) async {
        await change(.write, .remove, of: source) { [store] _ async throws(ImageLoaderError) in
            try await store.removeEntries(.keys(keys))
        }
    }
}

extension StoredSelection {
    /// Everything made from the entry with this key.
    fileprivate static func madeFrom(_ key: StoredKey) -> Self { .tag(EntryMetadata.tag(ofOriginal: key.text)) }
}
