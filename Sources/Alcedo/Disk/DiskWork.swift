import Foundation
import Synchronization

/// What a store's threads do: the system calls, in their order, and the reports of those that only fail to tidy up.
final class DiskWork: Sendable {
    enum Defect: Error {
        case file(FileError)
        case entry(EntryFile.Defect)
        case expired
        /// Whole, but written longer ago than entries are kept. The index alone knows whether it was used since.
        case old

        init(_ error: FileError) { self = error.isNoFile ? .entry(.noFile) : .file(error) }
    }

    /// What a store has been opened with.
    struct Opening: Sendable {
        let index: DiskIndex
        /// Whether the directory had to be read, as the index file did not tell of everything.
        let wasDoubtful: Bool
        /// Bytes that are free on the volume.
        let freeBytes: Int
    }

    struct WriteOutcome: Sendable {
        /// What the file takes on disk; nil when it was not written.
        var bytes: Int?
        /// What the file takes that was there before and stays, as it can still be read.
        var keptBytes: Int?
        /// What it would have taken, when that is more than there was room made for.
        var needed: Int?
        /// Bytes that have to go before there is as much free as has to stay free.
        var missing: Int?
        var failure: FileError?
        /// Files that should be gone and are not.
        var leftovers: [DiskIndex.Item] = []
    }

    /// A body on its way to the disk.
    struct Writing: Sendable {
        let key: DiskKey
        let pending: PendingBody
        let metadata: Data
        let expires: Int64?
        let plan: DiskIndex.Plan
    }

    let directory: DiskDirectory
    let files: FileSystem
    let index: IndexFile
    /// Bytes that stay free on the volume.
    let minimumFreeBytes: Int
    let synchronization: DiskSynchronization
    /// Directories in which names were made that the device may not have.
    let newNames = Mutex<Set<String>>([])
    /// The keys of directories that were read so far, by their paths.
    let keys = Mutex<[String: DirectoryKey]>([:])
    private let byteLimit: Int?
    /// Seconds since its last use after which an entry is not found any more.
    private let timeToLive: Int64?
    /// Bytes of the largest file that is read.
    private let fileByteLimit: Int
    /// Directories that are only read.
    private let bundled: [DiskDirectory]
    let onFailure: @Sendable (CacheFailure) -> Void

    init(
        _ settings: DiskStore.Settings, _ files: FileSystem, _ run: SystemRun,
        onFailure: @escaping @Sendable (CacheFailure) -> Void
    ) {
        directory = DiskDirectory(settings.directory.path)
        self.files = files
        index = IndexFile(directory, files, run: run)
        minimumFreeBytes = settings.minimumFreeBytes
        synchronization = settings.synchronization
        byteLimit = settings.maximumBytes
        timeToLive = settings.timeToLive?.components.seconds
        fileByteLimit = settings.fileByteLimit
        bundled = settings.bundledDirectories.map { DiskDirectory($0.path) }
        self.onFailure = onFailure
    }

    func path(of name: EntryName) -> String { directory.file(name) }

    var synchronizesWrites: Bool { synchronization == .always }

    // MARK: Opening

    /// Makes the directory, and fills an index with what there is to know of it.
    func open(at now: UInt32) throws(FileError) -> Opening {
        // What was taken in before, by an opening that failed or by a removal, is to be told again.
        index.close()
        try makeRoot()
        for path in [directory.entries, directory.temporary, directory.discarded] { try makeDirectory(path) }
        removeTemporary()
        let free = try files.freeBytes(at: directory.path)
        var found: [DiskIndex.Found]?
        // What is too much is for the store to choose: what goes here would stay on the disk, and not be counted.
        var filled = DiskIndex(limits: DiskIndex.Limits(bytes: .max))
        try index.locked { (changes) throws(FileError) in
            for record in changes.records { filled.apply(record, at: now) }
            // The records may tell of more than there is. Nothing goes for that.
            if changes.isDoubtful || filled.totalBytes > byteLimit ?? .max { found = try list() }
        }
        _ = filled.complete(with: found, by: 0, at: now)
        reporting(.open) { () throws(FileError) in try synchronizeNames() }
        return Opening(index: filled, wasDoubtful: found != nil, freeBytes: free)
    }

    /// Reads the directory itself.
    func readDirectory(_ changes: inout IndexFile.ExternalChanges) throws(FileError) -> [DiskIndex.Found] {
        try index.locked { (taken) throws(FileError) -> [DiskIndex.Found] in
            changes = taken
            return try list()
        }
    }

    /// Bytes in whole blocks. A length is whatever the file says: the largest ones are cut, so that nothing overflows.
    static func allocated(_ length: Int) -> Int { (min(max(0, length), .max - 4095) + 4095) & ~4095 }

    /// Reports what fails, unless it is that there is nothing left to work on.
    func reporting(_ operation: CacheFailure.Operation, _ body: () throws(FileError) -> Void) {
        do throws(FileError) {
            try body()
        } catch {
            if !error.isNotFound { onFailure(CacheFailure(operation, error)) }
        }
    }

    // MARK: Reading

    /// Reads an entry: from the store's own directory unless it is known not to be there, and then from the others.
    func read(_ key: DiskKey, _ presence: DiskIndex.Presence, now: Int64) -> DiskRead.Answer {
        let oldest = presence == .unknown ? timeToLive.map { now - max(0, $0) } : nil
        let own = presence == .absent ? nil : read(key, at: path(of: key.name), now: now, oldest: oldest)
        if case .success(let contents) = own { return .found(StoredEntry(contents)) }
        for directory in bundled {
            guard let key = self.key(key, in: directory) else { continue }
            if case .success(let contents) = read(key, at: directory.file(key.name), now: now) {
                return .found(StoredEntry(contents))
            }
        }
        if case .failure(let defect) = own { return .defect(defect) }
        return .defect(.file(FileError(call: "open", path: key.source, code: ENOENT)))
    }

    /// Whether a directory that is only read has an entry whose time is not over, as far as its end says.
    func isBundled(_ key: DiskKey, now: Int64) -> Bool {
        bundled.contains { directory in
            self.key(key, in: directory).map { holds($0, at: directory.file($0.name), now: now) } ?? false
        }
    }

    private func read(
        _ key: DiskKey, at path: String, now: Int64, oldest: Int64? = nil
    ) -> Result<EntryFile.Contents, Defect> {
        do throws(FileError) {
            let (file, modified) = try files.readWithTime(path, byteLimit: fileByteLimit)
            do throws(EntryFile.Defect) {
                let contents = try EntryFile.contents(of: file, key: key)
                if let expires = contents.tail.expires, expires <= now { return .failure(.expired) }
                if let oldest, modified < oldest { return .failure(.old) }
                return .success(contents)
            } catch {
                return .failure(.entry(error))
            }
        } catch {
            return .failure(Defect(error))
        }
    }

    /// The tail of an entry's file, which says all but the body, and the file's length.
    func readTail(_ name: EntryName) -> Result<(EntryFile.Tail, length: Int), Defect> { readTail(at: path(of: name)) }

    func readTail(at path: String) -> Result<(EntryFile.Tail, length: Int), Defect> {
        do throws(FileError) {
            let (end, length) = try files.readEnd(path, count: EntryFile.endLength)
            do throws(EntryFile.Defect) {
                return .success((try EntryFile.lastTail(of: end, fileLength: length), length))
            } catch {
                return .failure(.entry(error))
            }
        } catch {
            return .failure(Defect(error))
        }
    }

    // MARK: Writing

    /// Writes a body, unless nobody wants it any more, and makes room for it first.
    func write(_ writing: Writing, _ changes: inout IndexFile.ExternalChanges) -> WriteOutcome {
        var outcome = WriteOutcome()
        let item = writing.plan.mayRemain
        if let body = writing.pending.take(),
            let tail = EntryFile.tail(
                of: body, key: writing.key, metadata: writing.metadata, expires: writing.expires)
        {
            do throws(FileError) {
                if try publish([body, tail], writing.plan, &changes, &outcome) { return outcome }
                // It is wanted, and there is another try.
                writing.pending.putBack(body)
            } catch {
                outcome.bytes = nil
                if error.code == ENOSPC, minimumFreeBytes > 0 {
                    // None of what is to stay free is.
                    outcome.missing = minimumFreeBytes
                    writing.pending.putBack(body)
                } else {
                    outcome.failure = error
                }
            }
        }
        // An earlier file of that name, and what had to make room, are counted no longer.
        outcome.leftovers = remove(writing.plan.victims + [item], &changes)
        return outcome
    }

    /// Writes a file of another name and renames it, so that the entry is never there in part.
    private func publish(
        _ parts: [Data], _ plan: DiskIndex.Plan, _ changes: inout IndexFile.ExternalChanges,
        _ outcome: inout WriteOutcome
    ) throws(FileError) -> Bool {
        let name = plan.mayRemain.name
        let path = path(of: name)
        let temporary = directory.freshTemporary()
        let isWritten = try makingDirectories { () throws(FileError) in
            // Somebody may have put a link in its place, and the bytes would go there.
            try makeDirectory(directory.temporary)
            return try files.publish(parts, by: temporary, synchronizes: synchronizesWrites) {
                (status) throws(FileError) in
                outcome.needed = status.allocated > Int(plan.entry.units) * DiskEntries.unit ? status.allocated : nil
                outcome.missing = try missingBytes(plan.victims)
                guard outcome.needed == nil, outcome.missing == nil else { return false }
                return try index.locked { (taken) throws(FileError) in
                    changes.add(taken)
                    try replace(temporary, path, plan, status.allocated)
                    outcome.bytes = status.allocated
                    return true
                }
            }
        }
        guard isWritten else { return false }
        if synchronizesWrites {
            try files.synchronize(directory.entries)
            reporting(.write) { () throws(FileError) in try synchronizeNames() }
        }
        return true
    }

    private func replace(
        _ temporary: String, _ path: String, _ plan: DiskIndex.Plan, _ bytes: Int
    ) throws(FileError) {
        var removed: [IndexRecord] = []
        for victim in plan.victims {
            try removeFile(victim.name)
            removed.append(.removed(victim.name))
        }
        // Until it has its name, a larger file may lie under it, with other tags.
        let (name, most) = (plan.mayRemain.name, plan.mayRemain.bytes)
        let before = plan.entry.taking(most)
        try index.add(removed + [.entry(name, plan.replaces ? before.unread : before)])
        do throws(FileError) {
            try files.rename(temporary, to: path)
        } catch {
            guard error.code == EISDIR else { throw error }
            try moveAway(path)
            try files.rename(temporary, to: path)
        }
        if plan.replaces || bytes != most { try index.add([.entry(name, plan.entry.taking(bytes))]) }
    }

    /// Bytes that are still to go, once the victims are gone, before as much is free as has to stay free.
    private func missingBytes(_ victims: [DiskIndex.Item]) throws(FileError) -> Int? {
        guard minimumFreeBytes > 0 else { return nil }
        let free = try files.freeBytes(at: directory.path)
        let missing = minimumFreeBytes - free - victims.reduce(0) { $0 + $1.bytes }
        return missing > 0 ? missing : nil
    }

    // MARK: Removing

    /// Removes entries; those that could not be are returned.
    func remove(_ items: [DiskIndex.Item], _ changes: inout IndexFile.ExternalChanges) -> [DiskIndex.Item] {
        guard !items.isEmpty else { return [] }
        var leftovers: [DiskIndex.Item] = []
        do throws(FileError) {
            try index.locked { (taken) throws(FileError) in
                changes.add(taken)
                var removed: [IndexRecord] = []
                for item in items {
                    do throws(FileError) {
                        try removeFile(item.name)
                        removed.append(.removed(item.name))
                    } catch {
                        onFailure(CacheFailure(.remove, error))
                        leftovers.append(item)
                    }
                }
                try index.add(removed)
            }
        } catch {
            // The files that could be are gone; that the index file tells of them still makes it no less true.
            if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            leftovers = items.filter { files.exists(path(of: $0.name)) }
        }
        return leftovers
    }

    func removeFile(_ name: EntryName) throws(FileError) {
        do throws(FileError) {
            try files.remove(path(of: name))
        } catch {
            if error.isNotFound { return }
            // Linux says one of a directory, Apple's systems the other.
            guard error.code == EISDIR || error.code == EPERM else { throw error }
            try moveAway(path(of: name))
        }
    }

    /// Puts what lies at a path, whatever it is, with what is to be deleted.
    func moveAway(_ path: String) throws(FileError) {
        try makeDirectory(directory.discarded)
        try files.rename(path, to: directory.freshDiscarded())
    }

    /// Moves a file that is no entry out of the way, unless another store has put one in its place meanwhile.
    func discard(_ item: DiskIndex.Item, _ changes: inout IndexFile.ExternalChanges) -> [DiskIndex.Item] {
        do throws(FileError) {
            try index.locked { (taken) throws(FileError) in
                changes.add(taken)
                guard case .entry = defect(of: item.name, byteLimit: fileByteLimit) else {
                    // This store counts it no longer: the directory is to be read.
                    changes.isDoubtful = true
                    return
                }
                try moveAway(path(of: item.name))
                try index.add([.removed(item.name)])
            }
            return []
        } catch {
            if error.isNotFound { return [] }
            return remove([item], &changes)
        }
    }

    /// Puts an empty directory in the place of the entries', whatever there is in it; what could not be removed is
    /// returned.
    func empty(_ changes: inout IndexFile.ExternalChanges) -> [DiskIndex.Item] {
        do throws(FileError) {
            try makeRoot()
            try index.locked { (taken) throws(FileError) in
                changes.add(taken)
                try makeDirectory(directory.discarded)
                do throws(FileError) {
                    try files.rename(directory.entries, to: directory.freshDiscarded())
                } catch {
                    // There may be none, or none to move it to.
                    let isEmpty = try list().isEmpty
                    if !error.isNotFound || !isEmpty { throw error }
                }
                noteNames(in: try files.createDirectory(directory.entries))
                try index.empty()
            }
            // What others had told is gone with the rest.
            changes = IndexFile.ExternalChanges()
            return []
        } catch {
            onFailure(CacheFailure(.remove, error))
        }
        return removeEach(&changes)
    }

    private func removeEach(_ changes: inout IndexFile.ExternalChanges) -> [DiskIndex.Item] {
        do throws(FileError) {
            return remove(try list().map { DiskIndex.Item(name: $0.name, bytes: $0.bytes) }, &changes)
        } catch {
            onFailure(CacheFailure(.remove, error))
            return []
        }
    }
}
