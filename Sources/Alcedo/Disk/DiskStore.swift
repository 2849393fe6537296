package import Foundation
import Synchronization

/// A cache of bytes on disk.
///
/// An entry is complete or absent, whatever happens to the process or the machine. A loader creates its own store
/// unless it is given one. A store can also be used alone, or shared between loaders:
///
/// ```swift
/// let store = DiskStore()
/// let bytes = await store.data(for: ImageKey(url))
/// ```
///
/// The actor makes no system calls: it makes decisions based on its index, which is in memory, and leaves the work to
/// its own threads. Reads run in parallel, and without a thread if the system holds the file in memory. Writes and
/// removals run one after the other in the order they were decided, so an older write can't undo a newer removal, and a
/// slow write delays no read. A failure is reported as an event and counts as a miss; it is never thrown.
public actor DiskStore {
    package typealias Ticket = RemovalLog<UInt64>.Ticket

    enum Opening {
        case closed, underWay, done
    }

    let settings: Settings
    let time: TimeSource
    let work: DiskWork
    let report: (@Sendable (Event) -> Void)?
    /// Performs the reads that may have to wait for the device, in parallel.
    let readers = WorkerThreads("read", count: 4)
    /// Performs all changes to the directory, in order.
    let writer = WorkerThreads("write", count: 1)
    /// Performs slow work that look-ups and writes don't wait for.
    let maintenance = WorkerThreads("keep", count: 1)
    let outcomes = DiskOutcomes()
    let hits = Atomic(0)
    let reads = Mutex(DurationHistogram())
    let misses = Atomic(0)

    /// The limits that were set last; nil means the default.
    var maximumBytes: Int?
    var maximumEntryCount: Int?
    /// The default limit in bytes; nil until the directory has been opened.
    var defaultMaximumBytes: Int?
    var shrinking = DiskShrinking()

    var opening = Opening.closed
    var index: DiskIndex
    nonisolated let removals = Removals<UInt64>()
    /// Names of entries used before the index was read, in order.
    var earlyUses: [EntryName] = []
    var staged = StagedBodies()
    var renewals = Renewals() {
        didSet { hasRenewals.store(!renewals.isEmpty, ordering: .releasing) }
    }
    private nonisolated let hasRenewals = Atomic(false)
    var orders = WriteOrders()
    var lastEviction: UInt64 = 0
    /// The latest order, if it is one to write bodies.
    var batch: WriteBatch?
    var neighbors = DiskNeighbors()
    /// Entries written since the last flush, and others that may not be on the device.
    var unsynchronized = UnsynchronizedNames()
    var upkeep: Task<Void, Never>?
    var counts = DiskStatistics()

    /// Creates a store with the default settings.
    ///
    /// No file is touched before the store is used.
    ///
    /// - Parameter onEvent: Called for each event, on any thread. The store waits for it, so it should return quickly.
    public init(onEvent: (@Sendable (Event) -> Void)? = nil) {
        self.init(valid: Settings(), onEvent: onEvent)
    }

    /// Creates a store with these settings.
    ///
    /// No file is touched before the store is used. If the directory can't be used, that is reported as an event.
    ///
    /// - Parameters:
    ///   - settings: The store's directory, limits and other settings.
    ///   - onEvent: Called for each event, on any thread. The store waits for it, so it should return quickly.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range.
    public init(_ settings: Settings, onEvent: (@Sendable (Event) -> Void)? = nil) throws(ImageLoaderError) {
        try settings.validate()
        self.init(valid: settings, onEvent: onEvent)
    }

    /// - Parameters:
    ///   - time: Used to measure ages.
    ///   - run: Identifies the current boot of the system.
    package init(
        valid settings: Settings, calls: any SystemCalls = PosixSystemCalls(), time: TimeSource = TimeSource(),
        run: SystemRun = .current, onEvent: (@Sendable (Event) -> Void)? = nil
    ) {
        self.settings = settings
        self.time = time
        self.report = onEvent
        self.work = DiskWork(settings, calls, run, time, readingOn: readers) { onEvent?(.failed($0)) }
        self.maximumBytes = settings.maximumBytes
        self.maximumEntryCount = settings.maximumEntryCount
        self.index = DiskIndex(limits: settings.limits(bytes: settings.maximumBytes ?? .max))
    }

    deinit {
        upkeep?.cancel()
        // Only orders open the index file.
        if orders.last > 0 { writer.submit { [index = work.index] in index.close() } }
    }

    /// Returns a ticket. Take it when work begins whose result will be stored. It covers only this store's removals.
    package nonisolated func ticket() -> Ticket { removals.ticket() }

    /// Whether a resource hasn't been removed since `ticket` was taken.
    nonisolated func permits(_ ticket: Ticket, _ resource: ResourceKey) -> Bool {
        ticket == removals.ticket()
            || removals.permits(ticket, EntryName.digest(ofSource: resource.text.splitUserInfo.text))
    }

    /// The place for bodies of more than `memoryLimit` bytes, which may become entries.
    package nonisolated func bodyPlace(above memoryLimit: Int) -> BodyPlace {
        BodyPlace(work.directory.temporary, work.files, above: memoryLimit)
    }

    var now: UInt32 { UInt32(clamping: time.secondsSince1970()) }

    // MARK: Looking up

    private enum LookUp {
        case found(StagedBody)
        case absent
        case onDisk(DiskIndex.Presence, isRenewed: Bool)
    }

    /// Returns the entry stored under `key`, or nil if it is absent, unreadable or damaged. Returns nil immediately
    /// when the calling Task is cancelled. Takes one hop to the actor, and more if the entry isn't where it was
    /// expected.
    ///
    /// - Parameters:
    ///   - readsBody: Whether the body is read and checked. Otherwise, it is usually empty.
    package nonisolated func entry(
        for key: StoredKey, readsBody: Bool = true
    ) async -> StoredEntry? {
        let start = time.now()
        let entry = await find(key, readsBody)
        if entry == nil {
            misses.add(1, ordering: .relaxed)
        } else {
            hits.add(1, ordering: .relaxed)
            let duration = time.now() - start
            reads.withLock { $0.record(duration) }
        }
        return entry
    }

    /// Runs off the caller's actor, so that the actor is free during the read.
    @concurrent private nonisolated func find(_ key: StoredKey, _ readsBody: Bool) async -> StoredEntry? {
        var hasCaughtUp = false
        while true {
            let ticket = ticket()
            let (presence, isRenewed): (DiskIndex.Presence, Bool)
            switch await lookUp(key) {
            case .found(let staged): return await entry(staged, readsBody)
            case .absent: return nil
            case .onDisk(let expected, let isBeingRenewed): (presence, isRenewed) = (expected, isBeingRenewed)
            }
            var answer = readsBody ? work.readWarm(key, presence, now: time.secondsSince1970()) : nil
            if answer == nil {
                answer = await readers.runUnlessCancelled { [work, time] in
                    work.read(key, presence, now: time.secondsSince1970(), readsBody: readsBody)
                }
            }
            // An entry that has been removed since isn't returned.
            if !removals.permits(ticket, key.name.source) { continue }
            switch answer {
            case .success(let entry):
                let renewed = hasRenewals.load(ordering: .acquiring) ? await renewals.renewed(entry, key.name) : nil
                // The entry may be older than the renewal, which may have been written by now.
                if isRenewed, renewed == nil { continue }
                if presence == .unknown { await recordUse(of: key.name) }
                return renewed ?? entry
            case .failure(.old) where !hasCaughtUp:
                hasCaughtUp = true
                await catchUp()
                if Task.isCancelled { return nil }
            case .failure(let defect):
                await handle(defect, of: key.name, presence)
                return nil
            case nil: return nil
            }
        }
    }

    /// An entry that isn't on disk yet, or that has just been written.
    private nonisolated func entry(_ staged: StagedBody, _ readsBody: Bool) async -> StoredEntry? {
        let content = staged.content
        let metadata = StoredMetadata(staged.key, staged.encodedMetadata, expires: staged.expires)
        guard readsBody else { return StoredEntry(metadata, body: Data()) }
        if let body = content.data { return StoredEntry(metadata, body: body) }
        let body = await readers.run { [work] in
            work.reporting(.read) { () throws(FileError) in try content.read() }
        }
        return body.map { StoredEntry(metadata, body: $0) }
    }

    private func lookUp(_ key: StoredKey) -> LookUp {
        let now = now
        if let staged = stagedBody(of: key) {
            index.recordUse(of: key.name, at: now)
            return .found(staged)
        }
        planUpkeep()
        let presence = presence(of: key.name, at: now)
        if presence == .absent, settings.bundledDirectories.isEmpty { return .absent }
        if case .present = presence { index.recordUse(of: key.name, at: now) }
        return .onDisk(presence, isRenewed: renewals.contains(key.name))
    }

    /// Records a use of an entry that the index didn't know.
    private func recordUse(of name: EntryName) {
        if opening == .done {
            index.recordUse(of: name, at: now)
        } else if earlyUses.count < Self.mostEarlyUses {
            earlyUses.append(name)
        }
    }

    /// The maximum number of ``earlyUses``. If the directory can never be read, they stay in memory.
    private static let mostEarlyUses = 10_000

    func presence(of name: EntryName, at moment: UInt32? = nil) -> DiskIndex.Presence {
        let now = moment ?? now
        let presence = index.presence(of: name, at: now)
        guard presence == .absent, index.outstanding[name] == nil, index.entries.place(of: name) == nil else {
            return presence
        }
        return neighbors.mayHaveMore(at: now) ? .unknown : .absent
    }

    private func stagedBody(of key: StoredKey) -> StagedBody? {
        guard let body = staged.body(of: key) else { return nil }
        if let expires = body.expires, expires <= time.secondsSince1970() { return nil }
        return body
    }

    /// - Parameter presence: The presence of the entry when it was read.
    func handle(_ defect: DiskWork.Defect, of name: EntryName, _ presence: DiskIndex.Presence) {
        guard presence != .absent else { return }
        // A newer write of that name has another version and is kept.
        let isSame = self.presence(of: name) == presence
        switch defect {
        case .file(let error):
            guard error.isNotFound else { return work.onFailure(CacheFailure(.read, error)) }
            // Another store or program removed it, so the index must too.
            if case .present(let version) = presence { index.forget(name, version: version) } else { open() }
        case .entry(.otherKey), .old:
            // The file is intact, but belongs to another key, or only the index knows when it was last used.
            break
        case .entry(let defect):
            counts.damaged += 1
            report(defect, of: name)
            if isSame { discard(name) }
        case .expired:
            guard isSame else { return }
            let item = index.item(of: name)
            index.remove(name)
            expire([item])
        }
    }

    // MARK: Storing

    /// Stores a body, unless its key was removed since `ticket` was taken. Returns before it is on disk; look-ups find
    /// it from now on.
    ///
    /// - Parameter expires: In seconds since 1970; nil applies the store's time to live.
    package func store(
        _ body: Data, _ metadata: EntryMetadata, for key: StoredKey, expires: Int64? = nil, begun ticket: Ticket
    ) {
        store(.memory(body), metadata, for: key, expires: expires, begun: ticket)
    }

    /// Stores a body, which may have been received into a file.
    package func store(
        _ body: Body, _ metadata: EntryMetadata, for key: StoredKey, expires: Int64? = nil, begun ticket: Ticket
    ) {
        let name = key.name
        guard removals.permits(ticket, name.source) else { return }
        open()
        planUpkeep()
        let encoded = metadata.encoded
        let tailBytes = key.text.utf8.count + encoded.count
        let waiting = staged.heldBytes(besides: name)
        guard tailBytes <= EntryFile.tailByteLimit else {
            return refuse(name, "\(tailBytes) bytes of key and metadata, more than \(EntryFile.tailByteLimit)")
        }
        guard waiting == 0 || waiting <= settings.stagedByteLimit - body.stagedBytes else {
            return refuse(name, "\(waiting) bytes wait to be written already")
        }
        staged.insert(body, encoded, for: key, expires: expires, tags: metadata.hashes)
        // The entries to evict first aren't known before the directory has been read.
        if index.isComplete { write(name) }
        // Files that could not be removed may take more than the limit.
        keepLimits()
    }

    /// Reports an entry that exceeds the byte limit.
    func refuse(_ name: EntryName, bytes: Int) {
        refuse(name, "\(bytes) bytes, more than the limit of \(index.limits.count > 0 ? index.limits.bytes : 0)")
    }

    private func refuse(_ name: EntryName, _ reason: String) {
        counts.failures += 1
        work.onFailure(CacheFailure(operation: .write, path: work.path(of: name), reason: reason))
    }

    /// Hands a staged body to the writer, along with the entries to evict for it.
    ///
    /// - Parameter bytes: The size on disk, if it is known to be larger than the length suggests.
    func write(_ name: EntryName, bytes: Int? = nil) {
        guard let item = staged[name] else { return }
        let length = item.content.count + item.key.text.utf8.count + item.encodedMetadata.count
        let bytes = bytes ?? DiskWork.allocated(length + EntryFile.trailerLength)
        let old = index.item(of: name)
        guard let plan = insert(name, bytes: bytes, expires: item.expires, tags: item.tags) else {
            staged.remove(name)
            evict([old])
            return refuse(name, bytes: bytes)
        }
        let writing = DiskWork.Writing(
            item: item.write, pending: item.pending, metadata: item.encodedMetadata, expires: item.expires,
            plan: plan)
        if let batch, batch.add(writing) { return index.extendOrder() }
        let batch = WriteBatch(writing)
        submit { work, changes in
            let batch = batch.begin()
            return .wrote(Array(zip(batch, work.write(batch, &changes))))
        }
        self.batch = batch
    }

    /// Adds an entry to the index, and reports the entries evicted for it. Returns nil if the entry exceeds the limit.
    func insert(_ name: EntryName, bytes: Int, expires: Int64?, tags: [UInt64]) -> DiskIndex.Plan? {
        let expires = expires.map { UInt32(clamping: max(1, $0)) } ?? 0
        let plan = index.insert(name, bytes: bytes, expires: expires, tags: tags, at: now)
        if let plan { tellEvicted(plan.victims) }
        return plan
    }

    /// Handles the outcome of a write.
    func wrote(_ writing: DiskWork.Writing, _ outcome: DiskWork.WriteOutcome) {
        let (item, plan) = (writing.item, writing.plan)
        let name = item.key.name
        let isCurrent = staged[name]?.number == item.number
        // The entry may have been evicted to make room for another entry of its batch.
        let isPlanned = outcome.bytes != nil || index.forget(name, version: plan.version)
        keep(outcome.leftovers)
        if let bytes = outcome.bytes {
            index.settle(name, plan.version, bytes: bytes)
            counts.stores += 1
            isUnsynchronized(name)
        } else {
            if isPlanned, isCurrent, tryAgain(item, plan, outcome) { return }
            if let failure = work.failure(of: outcome, writing: name) {
                counts.failures += 1
                work.onFailure(failure)
            }
        }
        if isCurrent { staged.remove(name) }
        staged.end(item.number)
    }

    /// Makes the room that turned out to be needed and writes again, at most twice.
    private func tryAgain(_ item: StagedWrite, _ plan: DiskIndex.Plan, _ outcome: DiskWork.WriteOutcome) -> Bool {
        guard item.attempts < 2, outcome.needed != nil || outcome.missing != nil else { return false }
        if let missing = outcome.missing {
            let victims = index.trim(toBytes: index.totalBytes - missing)
            guard !victims.isEmpty else { return false }
            tellEvicted(victims)
            evict(victims)
        }
        staged.countAttempt(of: item.key.name)
        write(item.key.name, bytes: outcome.needed ?? plan.mayRemain.bytes)
        return true
    }
}
