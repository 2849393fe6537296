package import Foundation
import Synchronization

/// A cache of bytes on disk. An entry is whole or absent, whatever happens to the process or the machine.
///
/// A loader makes its own unless it is given one. A store can be used alone, and be shared between loaders:
///
/// ```swift
/// let store = DiskStore()
/// let bytes = await store.data(for: ImageKey(url))
/// ```
///
/// The actor makes no system call: it decides by its index, which is in memory, and hands the work to threads of its
/// own. Reads run side by side. Writes and removals run one after the other in the order they were decided, so an older
/// write can't undo a newer removal, and a slow write holds up no read. A failure is an event and a miss, never thrown.
public actor DiskStore {
    package typealias Ticket = RemovalLog<UInt64>.Ticket

    enum Opening {
        case closed, underWay, done
    }

    let settings: Settings
    let time: TimeSource
    let work: DiskWork
    let report: (@Sendable (Event) -> Void)?
    /// Reads, side by side.
    let readers: DiskReaders
    /// Whatever changes the directory, in order.
    let writer: WorkerThreads
    /// What takes long and nobody waits for.
    let maintenance: WorkerThreads
    let outcomes = DiskOutcomes()
    /// Those who are looking something up. One who is alone keeps nobody waiting.
    private let callers = Atomic(0)
    let hits = Atomic(0)
    let misses = Atomic(0)

    /// The limits that were set last; nil is the default.
    private var maximumBytes: Int?
    private var maximumEntryCount: Int?
    /// The default limit in bytes, once the directory has been opened.
    private var defaultMaximumBytes: Int?

    var opening = Opening.closed
    var index: DiskIndex
    var removals = RemovalLog<UInt64>()
    var staged = StagedBodies()
    var reads = DiskReadTable()
    var orders = WriteOrders()
    var neighbours = DiskNeighbours()
    /// Written since the last flush, or not on the device for another reason.
    var unsynchronized = UnsynchronizedNames()
    var upkeep: Task<Void, Never>?
    var counts = DiskStatistics()

    /// A store with the default settings. Touches no file before it is used.
    ///
    /// - Parameter onEvent: called for each event, on any thread, and waited for; it should return quickly.
    public init(onEvent: (@Sendable (Event) -> Void)? = nil) {
        self.init(valid: Settings(), onEvent: onEvent)
    }

    /// A store with these settings. Touches no file before it is used; a directory that can't be used is an event.
    ///
    /// - Parameters:
    ///   - settings: Where the store is and what it may hold.
    ///   - onEvent: Called for each event, on any thread. The store waits for it, so it should return quickly.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range.
    public init(_ settings: Settings, onEvent: (@Sendable (Event) -> Void)? = nil) throws(ImageLoaderError) {
        try settings.validate()
        self.init(valid: settings, onEvent: onEvent)
    }

    /// - Parameters:
    ///   - time: what ages are measured with.
    ///   - run: tells one run of the system from another.
    package init(
        valid settings: Settings, calls: any SystemCalls = PosixSystemCalls(), time: TimeSource = TimeSource(),
        run: SystemRun = .current, onEvent: (@Sendable (Event) -> Void)? = nil
    ) {
        self.settings = settings
        self.time = time
        self.report = onEvent
        self.work = DiskWork(settings, FileSystem(calls), run) { onEvent?(.failed($0)) }
        self.readers = DiskReaders(work, time)
        self.writer = WorkerThreads("write", count: 1)
        self.maintenance = WorkerThreads("keep", count: 1)
        self.maximumBytes = settings.maximumBytes
        self.maximumEntryCount = settings.maximumEntryCount
        self.index = DiskIndex(limits: settings.limits(bytes: settings.maximumBytes ?? .max))
    }

    deinit {
        upkeep?.cancel()
        writer.submit { [index = work.index] in index.close() }
    }

    /// To be taken when the work begins whose result will be stored. It knows of this store's removals only.
    package func ticket() -> Ticket { removals.ticket() }

    var now: UInt32 { UInt32(clamping: time.secondsSince1970()) }

    // MARK: Looking up

    private enum LookUp {
        case found(StoredEntry)
        case absent
        case reading(DiskRead, isNext: Bool)
    }

    /// What is kept under `key`, nil when it is absent, unreadable or damaged, and at once when the calling Task is
    /// cancelled. One turn of the actor, and one more for what was not found where it should be.
    package nonisolated func entry(for key: DiskKey) async -> StoredEntry? {
        callers.add(1, ordering: .relaxed)
        let entry = await find(key)
        callers.subtract(1, ordering: .relaxed)
        if entry == nil { misses.add(1, ordering: .relaxed) } else { hits.add(1, ordering: .relaxed) }
        return entry
    }

    /// Concurrent, so that an actor that the caller is isolated to is free for others while the read is waited for.
    @concurrent private nonisolated func find(_ key: DiskKey) async -> StoredEntry? {
        var hasCaughtUp = false
        while true {
            switch await lookUp(key) {
            case .found(let entry): return entry
            case .absent: return nil
            case .reading(let read, let isNext):
                var answer = isNext && callers.load(ordering: .relaxed) == 1 ? read.spin() : nil
                if answer == nil { answer = await read.answer() }
                switch answer {
                case .found(let entry):
                    if read.presence == .unknown { await recordUse(of: key.name) }
                    return read.isRetired ? nil : entry
                case .defect(.old) where !hasCaughtUp:
                    hasCaughtUp = true
                    await catchUp()
                    if Task.isCancelled { return nil }
                case .defect(let defect):
                    await handle(defect, of: read)
                    return nil
                case nil where Task.isCancelled: return nil
                // All who had wanted it left before it began.
                case nil: continue
                }
            }
        }
    }

    private func lookUp(_ key: DiskKey) -> LookUp {
        if let staged = stagedBody(of: key) {
            index.recordUse(of: key.name, at: now)
            return .found(staged.entry)
        }
        open()
        planUpkeep()
        let presence = presence(of: key.name)
        if presence == .absent, settings.bundledDirectories.isEmpty { return .absent }
        if case .present = presence { index.recordUse(of: key.name, at: now) }
        let (read, isNew) = reads.join(key, presence)
        return .reading(read, isNext: isNew && readers.start(read))
    }

    /// Those who wait for the read of an entry; for tests.
    func callerCount(of key: DiskKey) -> Int { reads[key.name]?.callerCount ?? 0 }

    private func recordUse(of name: EntryName) { index.recordUse(of: name, at: now) }

    /// One of all who wait for a read says what was wrong.
    private func handle(_ defect: DiskWork.Defect, of read: DiskRead) {
        guard read.isToldFirst else { return }
        let isCurrent = reads.remove(read)
        handle(defect, of: read.key.name, read.presence, isCurrent: isCurrent)
    }

    func presence(of name: EntryName) -> DiskIndex.Presence {
        let now = now
        let presence = index.presence(of: name, at: now)
        guard presence == .absent, index.outstanding[name] == nil, index.entries.place(of: name) == nil else {
            return presence
        }
        return neighbours.mayHaveMore(at: now) ? .unknown : .absent
    }

    private func stagedBody(of key: DiskKey) -> StagedBody? {
        guard let body = staged.body(of: key) else { return nil }
        if let expires = body.expires, expires <= time.secondsSince1970() { return nil }
        return body
    }

    /// - Parameter isCurrent: whether nothing was decided of the entry here since it was read.
    func handle(
        _ defect: DiskWork.Defect, of name: EntryName, _ presence: DiskIndex.Presence, isCurrent: Bool = false
    ) {
        guard presence != .absent else { return }
        // A newer write of that name has another version and stays. What was read before the directory may have one
        // now.
        let isSame = presence == .unknown && isCurrent || index.presence(of: name, at: now) == presence
        switch defect {
        case .file(let error):
            guard error.isNotFound else { return work.onFailure(CacheFailure(.read, error)) }
            // Someone else removed it: the index learns of it.
            if case .present(let version) = presence { index.remove(name, version: version) }
        case .entry(.otherKey):
            // Whole, and another's.
            break
        case .entry(let defect):
            counts.damaged += 1
            let reason = "not a whole entry: \(defect)"
            work.onFailure(CacheFailure(operation: .read, path: work.path(of: name), reason: reason))
            if isSame { discard(name) }
        case .old:
            // Whether it goes is for those to say who know when it was used.
            break
        case .expired:
            guard isSame else { return }
            let item = index.item(of: name)
            index.remove(name)
            expire([item])
        }
    }

    // MARK: Limits

    /// Changes the limits. Entries above the new limits are evicted before this returns, or when the directory can be
    /// opened.
    ///
    /// - Parameters:
    ///   - maximumBytes: see ``Settings/maximumBytes``.
    ///   - maximumEntryCount: see ``Settings/maximumEntryCount``.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a negative limit; nothing changes then.
    public nonisolated func setLimits(maximumBytes: Int?, maximumEntryCount: Int?) async throws(ImageLoaderError) {
        var changed = settings
        changed.maximumBytes = maximumBytes
        changed.maximumEntryCount = maximumEntryCount
        try changed.validate()
        await applyLimits(maximumBytes, maximumEntryCount)
    }

    private func applyLimits(_ maximumBytes: Int?, _ maximumEntryCount: Int?) async {
        self.maximumBytes = maximumBytes
        self.maximumEntryCount = maximumEntryCount
        await opened()
        keepLimits()
        await outcome(of: orders.last)
    }

    /// Once the directory has been opened, the default limit is known.
    func chooseLimits(freeBytes: Int) {
        defaultMaximumBytes = Settings.defaultMaximumBytes(free: freeBytes, held: index.totalBytes)
        keepLimits()
    }

    private func keepLimits() {
        var limits = index.limits
        limits.bytes = maximumBytes ?? defaultMaximumBytes ?? .max
        limits.count = maximumEntryCount ?? .max
        makeWay(index.change(limits))
    }

    // MARK: Storing

    /// Keeps a body, unless its key was removed since `ticket` was taken. Returns before it is on disk; look-ups find
    /// it from now on.
    ///
    /// - Parameter expires: in seconds since 1970; nil leaves it to the store's own time to live.
    package func store(
        _ body: Data, _ metadata: EntryMetadata, for key: DiskKey, expires: Int64? = nil, begun ticket: Ticket
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
        guard waiting == 0 || waiting <= settings.stagedByteLimit - body.count else {
            return refuse(name, "\(waiting) bytes wait to be written already")
        }
        reads.remove(name)
        staged.insert(
            StoredEntry(body: body, encodedMetadata: encoded), for: key, expires: expires, tags: metadata.hashes)
        // Before the directory is read it is not known what has to go first.
        if index.isComplete { write(name) }
    }

    /// Reports what is larger than all there may be.
    func refuse(_ name: EntryName, bytes: Int) {
        refuse(name, "\(bytes) bytes, more than the limit of \(index.limits.count > 0 ? index.limits.bytes : 0)")
    }

    private func refuse(_ name: EntryName, _ reason: String) {
        counts.failures += 1
        work.onFailure(CacheFailure(operation: .write, path: work.path(of: name), reason: reason))
    }

    /// Hands a staged body to the writer, with what has to make room for it.
    ///
    /// - Parameter bytes: what it is known to take on disk, when that is more than its length says.
    func write(_ name: EntryName, bytes: Int? = nil) {
        guard let item = staged[name] else { return }
        let length = item.entry.body.count + item.key.text.utf8.count + item.entry.encodedMetadata.count
        let bytes = bytes ?? DiskWork.allocated(length + EntryFile.trailerLength)
        let old = index.item(of: name)
        guard
            let plan = index.insert(
                name, bytes: bytes,
                expires: item.expires.map { UInt32(clamping: max(1, $0)) } ?? 0, tags: item.tags, at: now)
        else {
            staged.remove(name)
            evict([old])
            return refuse(name, bytes: bytes)
        }
        tellEvicted(plan.victims)
        let writing = DiskWork.Writing(
            key: item.key, pending: item.pending, metadata: item.entry.encodedMetadata, expires: item.expires,
            plan: plan)
        submit { [write = item.write] work, changes in .wrote(write, plan, work.write(writing, &changes)) }
    }

    /// What has come of a write.
    func wrote(_ item: StagedWrite, _ plan: DiskIndex.Plan, _ outcome: DiskWork.WriteOutcome) {
        let name = item.key.name
        let isCurrent = staged[name]?.number == item.number
        keep(outcome.leftovers)
        if let bytes = outcome.bytes {
            index.settle(name, plan.version, bytes: bytes)
            counts.stores += 1
            isUnsynchronized(name)
        } else {
            index.remove(name, version: plan.version)
            if isCurrent, tryAgain(item, plan, outcome) { return }
            if outcome.failure != nil || outcome.needed != nil || outcome.missing != nil { counts.failures += 1 }
            if let failure = outcome.failure { work.onFailure(CacheFailure(.write, failure)) }
            if let missing = outcome.missing {
                let reason = "\(missing) bytes fewer than \(settings.minimumFreeBytes) would be free"
                work.onFailure(CacheFailure(operation: .write, path: work.path(of: name), reason: reason))
            }
        }
        if isCurrent { staged.remove(name) }
        staged.end(item.number)
    }

    /// Makes the room that turned out to be needed, once.
    private func tryAgain(_ item: StagedWrite, _ plan: DiskIndex.Plan, _ outcome: DiskWork.WriteOutcome) -> Bool {
        guard outcome.failure == nil, item.attempts < 2, outcome.needed != nil || outcome.missing != nil else {
            return false
        }
        if let missing = outcome.missing {
            let victims = index.trim(toBytes: index.totalBytes - missing)
            guard !victims.isEmpty else { return false }
            makeWay(victims)
        }
        staged.countAttempt(of: item.key.name)
        write(item.key.name, bytes: outcome.needed ?? plan.mayRemain.bytes)
        return true
    }

    // MARK: Removing

    /// Takes entries out at once; returns the number of the last order to remove their files.
    @discardableResult
    func remove(_ names: [EntryName]) -> UInt64 {
        let items = names.map { index.item(of: $0) }
        for item in items {
            forget(item.name)
            index.remove(item.name)
        }
        return evict(items)
    }

    /// Removes all entries. No look-up finds them on return; their files are deleted soon after. A load that began
    /// before can't store its result in this store.
    public func removeAll() async {
        open()
        removals.recordAll()
        for name in staged.names { staged.remove(name) }
        reads.retireAll()
        index.removeAll()
        await outcome(of: submit { work, changes in .discarded(leftovers: work.empty(&changes)) })
    }

    /// Look-ups from now on find nothing that was begun before.
    func forget(_ name: EntryName) {
        staged.remove(name)
        reads.remove(name)
    }

    func recordRemoval(of key: DiskKey) {
        removals.record(key.name.source)
        reads.retire(source: key.name.source)
    }
}
