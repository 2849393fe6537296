import Synchronization

/// Combines a local store with a store that several machines share.
///
/// A look-up asks the local store, then the shared one, and keeps what that has in the local store. An entry is stored
/// in the local store at once, and written to the shared store later, from a limited queue. Removals are carried out in
/// both stores; queued writes of the selected entries are dropped.
///
/// Private entries never reach the shared store: those selected by credentials, header fields or a body, those whose
/// response says `private` or `no-store`, and images made from them.
///
/// A shared store that fails several times in a row is paused: look-ups and writes do without it, and one look-up tries
/// it again later. Removals are always tried, and throw if the shared store fails. A ``StoredTier`` then finds no entry
/// of that source, and removes the source before it stores anything of it. See <doc:Stores>.
public final class TieredStore: ImageStore {
    struct State {
        var backlog: WriteBacklog
        var breaker: CircuitBreaker
        /// The callers that wait for writes, by their numbers in the backlog.
        var waiting: [UInt64: Promise<Void>] = [:]
    }

    /// The store of this machine or process.
    public let local: any ImageStore
    /// The store that several machines share.
    public let shared: any ImageStore
    let settings: Settings
    let time: TimeSource
    let state: Mutex<State>
    /// The running changes of the local store. An entry found in the shared store isn't kept if its source has changed
    /// since the look-up began.
    let localChanges = StoreLedger(LedgerTable(byteLimit: .max, countLimit: .max))
    /// The running changes of the shared store.
    let sharedChanges = StoreLedger(LedgerTable(byteLimit: .max, countLimit: .max))
    let onEvent: @Sendable (Event) -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - local: The store of this machine or process, such as a ``DiskStore``.
    ///   - shared: The store that several machines share.
    ///   - settings: The time-out, the limits of the queue, and the pause after failures.
    ///   - onEvent: Called for each event, on any thread. It should return quickly.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range.
    public convenience init(
        local: any ImageStore, shared: any ImageStore, _ settings: Settings = Settings(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(ImageLoaderError) {
        try self.init(local: local, shared: shared, settings, time: TimeSource(), onEvent: onEvent)
    }

    /// - Parameter time: Used for time-outs, pauses and expiries.
    init(
        local: any ImageStore, shared: any ImageStore, _ settings: Settings, time: TimeSource,
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws(ImageLoaderError) {
        try settings.validate()
        (self.local, self.shared, self.settings, self.time, self.onEvent) = (local, shared, settings, time, onEvent)
        state = Mutex(
            State(
                backlog: WriteBacklog(
                    maximumCount: settings.maximumQueuedWrites, maximumBytes: settings.maximumQueuedBytes),
                breaker: CircuitBreaker(failureLimit: settings.failureLimit, pause: settings.pause)))
    }

    // MARK: Looking up

    /// Returns the entry stored under `key` in the local store, or else in the shared one; nil if neither has it.
    ///
    /// Waits for the shared store until ``Settings/timeout``. An entry that it returns with its bytes is stored in the
    /// local store.
    /// - Throws: The error of the local store, if the shared store doesn't have the entry.
    public func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        let ticket = localChanges.ticket()
        let own = await Result.ofStore { [local] () async throws(ImageLoaderError) in
            try await local.entry(for: key, reading: part)
        }
        if case .success(.some) = own { return try own.get() }
        guard let found = await sharedEntry(for: key, reading: part) else { return try own.get() }
        if part == .whole { await keep(found, for: key, begun: ticket) }
        return found
    }

    private func sharedEntry(for key: StoredKey, reading part: StoredPart) async -> StoredEntry? {
        if key.isPrivate { return nil }
        let answer = await ask(within: settings.timeout, for: key) { (store) async throws(ImageLoaderError) in
            try await store.entry(for: key, reading: part)
        }
        if case .success(let found)? = answer { return found }
        return nil
    }

    /// Stores an entry of the shared store in the local one, unless entries of its source have changed since `ticket`
    /// was taken.
    private func keep(_ found: StoredEntry, for key: StoredKey, begun ticket: StoreLedger.Ticket) async {
        guard found.metadata.key == key, found.metadata.expiresAt.map({ $0 > time.secondsSince1970() }) ?? true,
            let change = localChanges.change(.write, key.name.source, begun: ticket)
        else { return }
        // Otherwise, it is changing now.
        if !change.waits {
            let stored = await Result.ofStore { [local] () async throws(ImageLoaderError) in
                try await local.store(StoredBody(found.body), found.metadata)
            }
            if case .failure(let error) = stored { report(.write, key, error) }
        }
        localChanges.end(change)
    }

    // MARK: Storing

    /// Stores an entry in the local store, and queues it for the shared store unless it is private.
    /// - Throws: The error of the local store. Then the shared store doesn't get the entry either.
    public func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        let change = localChanges.change(.replacement, metadata.key.name.source)
        await change?.isDue()
        let stored = await Result.ofStore { [local] () async throws(ImageLoaderError) in
            try await local.store(body, metadata)
        }
        // In the order of the changes in the local store.
        if case .success = stored { writeLater(body, metadata) }
        if let change { localChanges.end(change) }
        try stored.get()
    }

    // MARK: Removing and listing

    /// Removes the selected entries from both stores, and drops queued writes of them.
    ///
    /// The shared store is asked even while it is paused.
    /// - Throws: The error of the shared store or of the local one. Both are asked in any case.
    public func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        let fromShared = await removeShared(selection)
        // A look-up that began earlier may have found an entry in the shared store, and doesn't keep it.
        let change = localChanges.change(.replacement, selection.sourceDigest)
        await change?.isDue()
        let fromLocal = await Result.ofStore { [local] () async throws(ImageLoaderError) in
            try await local.removeEntries(selection)
        }
        if let change { localChanges.end(change) }
        try fromShared.get()
        try fromLocal.get()
    }

    /// Passes the metadata of the selected entries of both stores to `body`.
    ///
    /// - Throws: The error of either store, and ``ImageLoaderError/storeFailed(_:)`` while the shared store is paused.
    public func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        var listed = try await local.listed(selection).get()
        let keys = Set(listed.map(\.key))
        listed += try await listedByShared(selection).get().filter { !keys.contains($0.key) }
        for start in stride(from: 0, to: listed.count, by: 256) {
            body(Array(listed[start..<min(start + 256, listed.count)]))
        }
    }

    private func listedByShared(_ selection: StoredSelection) async -> Result<[StoredMetadata], ImageLoaderError> {
        guard state.withLock({ $0.breaker.isClosed }) else { return .failure(SharedStoreProblem.paused.error) }
        // Loads list what was made from an original. Other lists may be long.
        let isOfLoad = if case .tag = selection { true } else { false }
        let answer = await ask(within: isOfLoad ? settings.timeout : nil) { (store) async throws(ImageLoaderError) in
            try await store.listed(selection).get()
        }
        return answer ?? .failure(SharedStoreProblem.paused.error)
    }

    /// Waits until all queued writes have ended, and until both stores have made their entries permanent.
    public func flush() async {
        let written = state.withLock { state -> Promise<Void>? in
            guard let number = state.backlog.wait() else { return nil }
            let promise = Promise<Void>()
            state.waiting[number] = promise
            return promise
        }
        await written?.value()
        await local.flush()
        await shared.flush()
    }
}

extension TieredStore: ConfidentialStore {
    /// Whether either store encrypts.
    var isConfidential: Bool {
        [local, shared].contains { ($0 as? any ConfidentialStore)?.isConfidential == true }
    }
}
