package import Foundation

/// Original bytes on disk, whole or absent whatever happens.
///
/// The actor makes no system call: it decides by its index and hands the work to threads. Reads run side by side.
/// Writes and removals run one after the other on a lane of their own, in the order they were decided, so an older
/// write can't undo a newer removal and a slow write holds up no read. A failure is reported and a miss, never thrown.
package actor DiskStore {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket

    private struct Staged {
        let body: Data
        let number: UInt64
        let pending: PendingBody
    }

    private let fileByteLimit: Int
    private let stagedByteLimit: Int
    private let work: DiskWork
    private let readers: WorkerThreads
    private let lane: WorkerThreads

    private var index: DiskIndex
    private var removals = RemovalLog<ResourceKey>()
    /// Bodies handed over and not yet on disk; they answer look-ups at once.
    private var staged: [ResourceKey: Staged] = [:]
    /// Bytes held by each write that has neither ended nor been given up, the one under way included.
    private var held: [UInt64: Int] = [:]
    private var heldBytes = 0
    private var lastNumber: UInt64 = 0
    /// The reading of the directory; nil again when it failed, so that the next use tries anew.
    private var opening: Task<Void, Never>?
    /// Numbers of the writes handed to the lane whose outcome is not known yet.
    private var writing: Set<UInt64> = []
    private var flushes: [(writes: Set<UInt64>, continuation: CheckedContinuation<Void, Never>)] = []

    /// - Parameters:
    ///   - directory: the store's own; made when it is first used.
    ///   - byteLimit: bytes of all entries, each counted in whole blocks of 4 KiB.
    ///   - stagedByteLimit: bytes of bodies that wait to be written; a single one may be larger.
    ///   - onFailure: called for each failure, on any thread.
    package init(
        directory: String, byteLimit: Int, stagedByteLimit: Int = 64 << 20, files: any FileSystem = PosixFileSystem(),
        onFailure: @escaping @Sendable (CacheFailure) -> Void = { _ in }
    ) {
        self.fileByteLimit = byteLimit
        self.stagedByteLimit = stagedByteLimit
        self.work = DiskWork(directory: directory, files: files, onFailure: onFailure)
        self.readers = WorkerThreads("disk.read", count: 2)
        self.lane = WorkerThreads("disk.write", count: 1)
        self.index = DiskIndex(byteLimit: byteLimit)
    }

    /// To be taken when the work begins whose result will be stored.
    package func ticket() -> Ticket { removals.ticket() }

    /// The body of `key`, nil when it is absent, unreadable or damaged, and at once when the calling Task is cancelled.
    package func body(for key: ResourceKey) async -> Data? {
        if let staged = staged[key] { return staged.body }
        open()
        let name = EntryName(key)
        let presence = index.presence(of: name)
        guard presence != .absent else { return nil }
        let began = removals.ticket()
        let read = await readers.runUnlessCancelled { [work, fileByteLimit] in
            work.read(name, key, byteLimit: fileByteLimit)
        }
        guard let read, removals.permits(began, key) else { return nil }
        switch read {
        case .success(let body):
            index.recordUse(of: name)
            return body
        case .failure(let defect):
            handle(defect, of: name, presence)
            return nil
        }
    }

    /// Keeps a body, unless its key was removed since `ticket` was taken. Returns before it is on disk; look-ups find
    /// it from now on.
    package func store(_ body: Data, for key: ResourceKey, begun ticket: Ticket) {
        guard removals.permits(ticket, key) else { return }
        open()
        // The body this one takes the place of is given up, unless it is this one that is refused.
        let waiting = heldBytes - (staged[key].flatMap { held[$0.number] } ?? 0)
        guard waiting == 0 || waiting <= stagedByteLimit - body.count else {
            let reason = "\(waiting) bytes wait to be written already"
            return work.onFailure(
                CacheFailure(operation: .write, path: work.path(of: EntryName(key)), reason: reason))
        }
        unstage(key)
        lastNumber += 1
        staged[key] = Staged(body: body, number: lastNumber, pending: PendingBody(body))
        held[lastNumber] = body.count
        heldBytes += body.count
        // Before the directory is read it is not known what has to go first.
        if index.isComplete { write(key) }
    }

    /// Keeps a body in the place of whatever there is; what was begun before can't undo it.
    package func replace(_ body: Data, for key: ResourceKey) {
        removals.record(key)
        store(body, for: key, begun: removals.ticket())
    }

    /// Removes an entry; it is gone from the disk on return.
    package func remove(_ key: ResourceKey) async {
        removals.record(key)
        unstage(key)
        let item = index.item(of: EntryName(key))
        index.remove(item.name)
        let leftovers = await lane.run { [work] in work.remove([item]) }
        keep(leftovers)
    }

    /// Removes all entries; they are gone from the disk on return.
    package func removeAll() async {
        removals.recordAll()
        for key in Array(staged.keys) { unstage(key) }
        index.removeAll()
        let leftovers = await lane.run { [work] in work.removeAll() }
        keep(leftovers)
    }

    /// Waits until everything stored and removed so far is on disk.
    package func flush() async {
        await opening?.value
        if !writing.isEmpty {
            await withCheckedContinuation { flushes.append((writing, $0)) }
        }
        await lane.run {}
    }

    // MARK: Opening

    /// Reads the directory, once unless that fails; look-ups go on meanwhile.
    private func open() {
        guard opening == nil else { return }
        opening = Task.detached { [lane, work] in
            let found = await lane.run { () -> Result<[DiskIndex.Item], FileError> in
                do throws(FileError) { return .success(try work.open()) } catch { return .failure(error) }
            }
            await self.opened(with: found)
        }
    }

    private func opened(with found: Result<[DiskIndex.Item], FileError>) {
        // When all was removed meanwhile, what was found is gone and what is staged now is with the lane.
        let early = index.isComplete ? [:] : staged
        let waiting = early.sorted { $0.value.number < $1.value.number }.map(\.key)
        switch found {
        case .success(let items):
            remove(index.complete(with: items))
            waiting.forEach(write)
        case .failure(let error):
            opening = nil
            work.onFailure(CacheFailure(.open, error))
            // To wait for a directory that may never open would hold them for ever.
            waiting.forEach(unstage)
        }
    }

    // MARK: Work for the lane

    private func write(_ key: ResourceKey) {
        guard let item = staged[key] else { return }
        let bytes = DiskWork.allocated(EntryFile.length(of: item.body, key: key))
        let old = index.item(of: EntryName(key))
        guard let plan = index.insert(old.name, bytes: bytes) else {
            unstage(key)
            return remove([old])
        }
        writing.insert(item.number)
        lane.submit { [work, pending = item.pending, number = item.number] in
            let outcome = work.write(pending, key, plan)
            Task { await self.wrote(key, number, plan, outcome) }
        }
    }

    private func wrote(
        _ key: ResourceKey, _ number: UInt64, _ plan: DiskIndex.Plan, _ outcome: DiskWork.WriteOutcome
    ) {
        if staged[key]?.number == number { unstage(key) }
        release(number)
        if !outcome.isWritten { index.remove(plan.mayRemain.name, version: plan.version) }
        keep(outcome.leftovers)
        if let failure = outcome.failure { work.onFailure(CacheFailure(.write, failure)) }
        writing.remove(number)
        for index in flushes.indices { flushes[index].writes.remove(number) }
        let ended = flushes.filter(\.writes.isEmpty)
        flushes.removeAll(where: \.writes.isEmpty)
        for flush in ended { flush.continuation.resume() }
    }

    private func remove(_ items: [DiskIndex.Item]) {
        guard !items.isEmpty else { return }
        lane.submit { [work] in
            let leftovers = work.remove(items)
            if !leftovers.isEmpty { Task { await self.keep(leftovers) } }
        }
    }

    /// Files that could not be removed go on being counted.
    private func keep(_ leftovers: [DiskIndex.Item]) {
        for item in leftovers { index.keepLeftover(item) }
    }

    private func handle(_ defect: DiskWork.Defect, of name: EntryName, _ presence: DiskIndex.Presence) {
        switch defect {
        case .file(let error):
            guard error.isNotFound else { return work.onFailure(CacheFailure(.read, error)) }
            // Someone else removed it: the index learns of it.
            if case .present(let version) = presence { index.remove(name, version: version) }
        case .entry(let defect):
            let reason = "not a whole entry: \(defect)"
            work.onFailure(CacheFailure(operation: .read, path: work.path(of: name), reason: reason))
            // A newer write of that name has another version and stays.
            if index.presence(of: name) == presence {
                let item = index.item(of: name)
                index.remove(name)
                remove([item])
            }
        }
    }

    private func unstage(_ key: ResourceKey) {
        // A body that the lane is writing is held until it is written.
        if let item = staged.removeValue(forKey: key), item.pending.take() != nil { release(item.number) }
    }

    private func release(_ number: UInt64) {
        heldBytes -= held.removeValue(forKey: number) ?? 0
    }
}
