import Foundation

/// A store of the program's own, with the checks that a loader needs.
///
/// Each call of the store runs in a Task of its own, because the store may be slow, or never answer: a caller waits
/// until the deadline at most, and a change is still carried out after that. A change isn't cancelled.
final class GuardedStore: Sendable {
    typealias Ticket = StoreLedger.Ticket

    let store: any ImageStore
    let settings: StoredTier.Settings
    let time: TimeSource
    let ledger = StoreLedger()
    let late = LateReads()
    private let key: DirectoryKey
    private let onFailure: @Sendable (CacheFailure) -> Void
    /// Compute digests and checksums of many bytes.
    private let workers = WorkerThreads("store", count: 1)

    init(
        _ store: any ImageStore, _ settings: StoredTier.Settings, _ key: DirectoryKey, _ time: TimeSource,
        onFailure: @escaping @Sendable (CacheFailure) -> Void
    ) {
        (self.store, self.settings, self.key, self.time, self.onFailure) = (store, settings, key, time, onFailure)
    }

    // MARK: Keys

    func key(of resource: ResourceKey) async -> StoredKey {
        let (source, secret) = resource.splitSecret
        if secret.isEmpty { return StoredKey(source) }
        if secret.utf8.count <= Self.digestedHere {
            return StoredKey(source, secret: secret, under: key).withoutSecret
        }
        return await workers.run { [key] in StoredKey(source, secret: secret, under: key).withoutSecret }
    }

    /// The longest secret, in bytes, that is digested on the calling thread.
    private static let digestedHere = 8 << 10
    /// The longest body, in bytes, whose checksum is computed on the calling thread.
    private static let checkedHere = 1 << 20
    /// The number of bytes of all entries that are being stored above which no further ones are.
    static let heldByteLimit = 64 << 20
    /// What a change takes besides its body, key and metadata.
    private static let changeBytes = 4 << 10

    // MARK: Looking up

    /// Returns the entry stored under `key`, or nil if it is absent, expired or damaged, or was removed meanwhile.
    ///
    /// - Parameter waits: Whether to wait for a store that doesn't answer within its deadline.
    func entry(for key: StoredKey, readsBody: Bool, waits: Bool) async -> StoredEntry? {
        let (ticket, source) = (ledger.ticket(), key.name.source)
        guard ledger.permitsReading(ticket, source),
            case .success(let found?) = await read(key, readsBody ? .whole : .metadata, waits: waits),
            found.metadata.key == key, found.metadata.expiresAt.map({ $0 > time.secondsSince1970() }) ?? true
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

    /// - Parameter waits: Whether to wait longer than the deadline.
    private func read(
        _ key: StoredKey, _ part: StoredPart, waits: Bool
    ) async -> Result<StoredEntry?, ImageLoaderError>? {
        let deadline = waits ? nil : settings.deadline
        let source = key.name.source
        if deadline != nil, !late.permit(source) {
            report(.read, key.source, "earlier reads still wait for the store")
            return nil
        }
        let call = StoreCall(time, deadline, isCancelled: true) { [store] in
            await Self.outcome { () async throws(ImageLoaderError) in try await store.entry(for: key, reading: part) }
        }
        let answer = await call.answer { [late] isCancelled in late.begin(isCancelled ? nil : source) }
        switch answer {
        case .success?: break
        case .failure(let error)?: if !Task.isCancelled { report(.read, key.source, "\(error)") }
        case nil: if !Task.isCancelled { report(.read, key.source, "no answer within the store's deadline") }
        }
        return answer
    }

    // MARK: Storing

    /// Stores an entry, unless its key was removed since `ticket` was taken.
    ///
    /// - Parameters:
    ///   - expires: In seconds since 1970; nil applies the tier's time to live.
    ///   - kind: A write or a replacement.
    /// - Returns: False, having done nothing, if the key was removed.
    @discardableResult
    func store(
        _ body: Body, _ metadata: EntryMetadata, for key: StoredKey, expires: Int64?, begun ticket: Ticket?,
        as kind: LedgerTable.Kind = .write
    ) async -> Bool {
        let encoded = metadata.encoded
        let tailBytes = encoded.count + key.text.utf8.count
        guard tailBytes <= EntryFile.tailByteLimit else {
            report(.write, key.source, "\(tailBytes) bytes of key and metadata, more than \(EntryFile.tailByteLimit)")
            return true
        }
        let (held, bytes) = (ledger.heldBytes, body.stagedBytes + tailBytes + Self.changeBytes)
        guard held == 0 || held <= Self.heldByteLimit - bytes else {
            report(.write, key.source, "\(held) bytes wait to be stored already")
            return true
        }
        guard let change = ledger.begin(kind, key.name.source, begun: ticket, bytes: bytes) else { return false }
        let expires = expires ?? expiry(after: settings.timeToLive)
        await carryOut(change, .write, of: key.source) { [self] () async throws(ImageLoaderError) in
            // It may have been removed while the change waited for its turn.
            guard ledger.permits(change.ticket, key.name.source) else { return }
            guard let check = await check(of: body) else { return }
            try await store.store(StoredBody(body), StoredMetadata(key, encoded, expires: expires, check: check))
        }
        return true
    }

    /// When an entry stored now expires, in seconds since 1970; nil if it doesn't.
    func expiry(after timeToLive: Duration?) -> Int64? { time.expiry(after: timeToLive) }

    /// Replaces the responses of an entry and of everything made from it that have the same version.
    func confirm(_ response: StoredResponse, for key: StoredKey) async {
        let ticket = ledger.ticket()
        var found = await made(of: key) ?? []
        if let own = await entry(for: key, readsBody: false, waits: false) { found.insert(own.metadata, at: 0) }
        let renewed = found.compactMap { old in
            old.decoded?.confirmed(by: response).map {
                StoredMetadata(old.key, $0.encoded, expires: old.expiresAt, check: old.check)
            }
        }
        guard !renewed.isEmpty, let change = ledger.begin(.write, key.name.source, begun: ticket) else { return }
        await carryOut(change, .write, of: key.source) { [store] () async throws(ImageLoaderError) in
            for metadata in renewed { try await store.store(nil, metadata) }
        }
    }

    // MARK: Calling the store

    /// Carries out a change when those before it have ended. Returns when it has ended, or the deadline has passed.
    ///
    /// First removes what an earlier removal failed to remove.
    ///
    /// - Parameters:
    ///   - source: The source that changes; nil if all may.
    ///   - name: What failed, for the event; nil for the source.
    /// - Returns: The error of the change; nil if it succeeded, or hasn't ended yet.
    @discardableResult
    func carryOut(
        _ change: StoreLedger.Change, _ operation: CacheFailure.Operation, of source: String?,
        named name: String? = nil,
        waits: Bool = false, _ work: @escaping @Sendable () async throws(ImageLoaderError) -> Void
    ) async -> ImageLoaderError? {
        let call = StoreCall(time, waits ? nil : settings.deadline, isCancelled: false) { [self] in
            await change.isDue()
            let outcome = await Self.outcome { [self] () async throws(ImageLoaderError) in
                try await finishRemovals(of: source)
                try await work()
            }
            if case .failure(let error) = outcome { report(operation, name ?? source ?? "", "\(error)") }
            ledger.end(change, isDone: outcome.isSuccess)
            return outcome
        }
        if case .failure(let error)? = await call.answer() { return error }
        return nil
    }

    @concurrent private func finishRemovals(of source: String?) async throws(ImageLoaderError) {
        let digest = source.map(EntryName.digest(ofSource:))
        switch (ledger.unremoved(digest), source) {
        case (.all, _):
            try await store.removeEntries(.all)
            ledger.clear(nil)
        case (.source, let source?):
            try await store.removeEntries(.source(source))
            ledger.clear(digest)
        default: break
        }
    }

    /// Calls the program's code on no actor, and returns what it throws: see Docs/Decisions/0017.
    @concurrent static func outcome<Value: Sendable>(
        _ call: @Sendable () async throws(ImageLoaderError) -> Value
    ) async -> Result<Value, ImageLoaderError> {
        do throws(ImageLoaderError) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }

    /// Ends the threads until they are needed again.
    func rest() { workers.rest() }

    func report(_ operation: CacheFailure.Operation, _ name: String, _ reason: String) {
        onFailure(CacheFailure(operation: operation, path: name, reason: reason))
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
