package import Foundation
import Synchronization

/// Bytes on disk, whole or absent whatever happens.
///
/// The actor makes no system call: it decides by its index and hands the work to threads. Reads run side by side.
/// Writes and removals run one after the other on a writer of their own, in the order they were decided, so an older
/// write can't undo a newer removal and a slow write holds up no read. A failure is reported and a miss, never thrown.
public actor DiskStore {
    package typealias Ticket = RemovalLog<UInt64>.Ticket

    enum Opening {
        case closed, underWay, done
    }

    let settings: Settings
    let time: TimeSource
    let work: DiskWork
    let onRemoval: (@Sendable (DiskRemoval) -> Void)?
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

    var opening = Opening.closed
    var index: DiskIndex
    var removals = RemovalLog<UInt64>()
    /// Bodies handed over and not yet on disk.
    var staged: [EntryName: StagedBody] = [:]
    /// Bytes held by each write that has neither ended nor been given up, the one under way included.
    private var held: [UInt64: Int] = [:]
    private var heldBytes = 0
    private(set) var lastNumber: UInt64 = 0
    /// Reads under way, and some that are over.
    private var reads: [EntryName: DiskRead] = [:]
    private var readLimit = 64
    /// The last order to the writer, and the last one whose outcome is known.
    var lastOrder: UInt64 = 0
    var lastOutcome: UInt64 = 0
    /// The last order to write a new snapshot.
    var lastCompaction: UInt64 = 0
    var waiters: [(order: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    /// How far the index file has been taken in.
    var place = IndexFile.Place()
    /// Whether another store has been at work in the directory: what is not in the index may be in the files then.
    var hasCompany = false
    /// When what others have done was last taken in.
    var lastExternalChanges: UInt32 = 0
    /// Written since the last flush, or not on the device for another reason.
    var unsynchronized = UnsynchronizedNames()
    var upkeep: Task<Void, Never>?
    var counts = DiskStatistics()

    /// - Parameters:
    ///   - settings: the store's own.
    ///   - calls: the system.
    ///   - time: what ages are told by.
    ///   - run: tells one run of the system from another.
    ///   - onFailure: called for each failure, on any thread.
    ///   - onRemoval: called, while the actor waits, for what is removed without being asked for.
    package init(
        _ settings: Settings, calls: any SystemCalls = PosixSystemCalls(), time: TimeSource = TimeSource(),
        run: SystemRun = .current, onFailure: @escaping @Sendable (CacheFailure) -> Void = { _ in },
        onRemoval: (@Sendable (DiskRemoval) -> Void)? = nil
    ) {
        self.settings = settings
        self.time = time
        self.onRemoval = onRemoval
        self.work = DiskWork(settings, FileSystem(calls), run, onFailure: onFailure)
        self.readers = DiskReaders(work, time)
        self.writer = WorkerThreads("write", count: 1)
        self.maintenance = WorkerThreads("keep", count: 1)
        self.index = DiskIndex(limits: settings.limits(bytes: settings.byteLimit ?? .max))
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
                var answer = isNext && callers.load(ordering: .relaxed) == 1 ? read.lookOut() : nil
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
        if let running = reads[key.name], running.key == key, !running.isRetired, running.join() {
            return .reading(running, isNext: false)
        }
        let read = DiskRead(key, presence)
        reads[key.name] = read
        if reads.count > readLimit {
            reads = reads.filter { !$0.value.hasEnded }
            readLimit = max(64, 2 * reads.count)
        }
        return .reading(read, isNext: readers.start(read))
    }

    /// Those who wait for the read of an entry; for tests.
    func callerCount(of key: DiskKey) -> Int { reads[key.name]?.callerCount ?? 0 }

    private func recordUse(of name: EntryName) { index.recordUse(of: name, at: now) }

    /// One of all who wait for a read says what was wrong.
    private func handle(_ defect: DiskWork.Defect, of read: DiskRead) {
        guard read.isToldFirst else { return }
        let isCurrent = reads[read.key.name] === read
        if isCurrent { reads[read.key.name] = nil }
        handle(defect, of: read.key.name, read.presence, isCurrent: isCurrent)
    }

    func presence(of name: EntryName) -> DiskIndex.Presence {
        let now = now
        let presence = index.presence(of: name, at: now)
        guard presence == .absent, index.outstanding[name] == nil, index.entries.place(of: name) == nil else {
            return presence
        }
        // Who did nothing for a while has not heard of those who did.
        return hasCompany || Int(now) - Int(lastExternalChanges) > 1 ? .unknown : .absent
    }

    private func stagedBody(of key: DiskKey) -> StagedBody? {
        guard let body = staged[key.name], body.key == key else { return nil }
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
        // The body this one takes the place of is given up, unless it is this one that is refused.
        let waiting = heldBytes - (staged[name].flatMap { held[$0.number] } ?? 0)
        guard tailBytes <= EntryFile.tailByteLimit else {
            return refuse(name, "\(tailBytes) bytes of key and metadata, more than \(EntryFile.tailByteLimit)")
        }
        guard waiting == 0 || waiting <= settings.stagedByteLimit - body.count else {
            return refuse(name, "\(waiting) bytes wait to be written already")
        }
        unstage(name)
        reads[name] = nil
        lastNumber += 1
        staged[name] = StagedBody(
            write: StagedWrite(key: key, number: lastNumber),
            entry: StoredEntry(body: body, encodedMetadata: encoded), expires: expires, tags: metadata.hashes,
            pending: PendingBody(body))
        held[lastNumber] = body.count
        heldBytes += body.count
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
            unstage(name)
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
                let reason = "\(missing) bytes fewer than \(settings.freeSpaceFloor) would be free"
                work.onFailure(CacheFailure(operation: .write, path: work.path(of: name), reason: reason))
            }
        }
        if isCurrent { unstage(name) }
        release(item.number)
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
        staged[item.key.name]?.write.attempts += 1
        write(item.key.name, bytes: outcome.needed ?? plan.mayRemain.bytes)
        return true
    }

    func unstage(_ name: EntryName) {
        // A body that the writer is writing is held until it is written.
        if let item = staged.removeValue(forKey: name), item.pending.take() != nil { release(item.number) }
    }

    private func release(_ number: UInt64) {
        heldBytes -= held.removeValue(forKey: number) ?? 0
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

    /// Removes all entries; none is found any more on return. Their files are deleted later on.
    package func removeAll() async {
        open()
        removals.recordAll()
        for name in Array(staged.keys) { unstage(name) }
        retireReads()
        index.removeAll()
        await outcome(of: submit { work, changes in .discarded(leftovers: work.empty(&changes)) })
    }

    /// Look-ups from now on find nothing that was begun before.
    func forget(_ name: EntryName) {
        unstage(name)
        reads[name] = nil
    }

    func recordRemoval(of key: DiskKey) {
        removals.record(key.name.source)
        for read in reads.values where read.key.name.source == key.name.source { read.retire() }
    }

    /// Reads under way bring nothing, and are shared by none who comes from now on.
    func retireReads() {
        for read in reads.values { read.retire() }
        reads.removeAll()
    }
}
