import Foundation
import Synchronization

/// The work of a store's threads: system calls in order, and reports of failures that only affect cleaning up.
final class DiskWork: Sendable {
    enum Defect: Error {
        case file(FileError)
        case entry(EntryFile.Defect)
        case expired
        /// Intact, but written longer ago than entries are kept. Only the index knows whether it was used since.
        case old

        init(_ error: FileError) { self = error.isNoFile ? .entry(.noFile) : .file(error) }
    }

    /// The result of opening a store.
    struct Opening: Sendable {
        let index: DiskIndex
        /// Whether the directory had to be read because the index file was incomplete.
        let wasDoubtful: Bool
        /// The number of free bytes on the volume.
        let freeBytes: Int
    }

    struct WriteOutcome: Sendable {
        /// The file's size on disk; nil when it wasn't written.
        var bytes: Int?
        /// The size of the previous file if it remains because it can still be read.
        var keptBytes: Int?
        /// The size that the file would have had on disk, if it exceeds the room made for it.
        var needed: Int?
        /// The number of bytes to remove before enough space is free.
        var missing: Int?
        var failure: FileError?
        /// Files that should be gone but aren't.
        var leftovers: [DiskIndex.Item] = []
    }

    /// A body to be written to the disk.
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
    /// The number of bytes to leave free on the volume.
    let minimumFreeBytes: Int
    let synchronization: DiskSynchronization
    /// Directories with new names that may not be on the device.
    let newNames = Mutex<Set<String>>([])
    /// The directory keys read so far, by path.
    let keys = Mutex<[String: DirectoryKey]>([:])
    private let byteLimit: Int?
    /// The seconds since its last use after which an entry is no longer found.
    private let timeToLive: Int64?
    /// The size in bytes of the largest file that is read.
    private let fileByteLimit: Int
    /// Read-only directories.
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

    /// Creates the directory and fills an index with everything known about it.
    func open(at now: UInt32) throws(FileError) -> Opening {
        // Changes read earlier, by an opening that failed or by a removal, must be reported again.
        index.close()
        try makeRoot()
        for path in [directory.entries, directory.temporary, directory.discarded] { try makeDirectory(path) }
        removeTemporary()
        let free = try files.freeBytes(at: directory.path)
        var found: [DiskIndex.Found]?
        // No limit, because the store chooses what to evict: entries dropped here would stay on disk uncounted.
        var filled = DiskIndex(limits: DiskIndex.Limits(bytes: .max))
        try index.locked { (changes) throws(FileError) in
            for record in changes.records { filled.apply(record, at: now) }
            // The records may list more than there is. Nothing is evicted because of that.
            if changes.isDoubtful || filled.totalBytes > byteLimit ?? .max { found = try list() }
        }
        _ = filled.complete(with: found, by: 0, at: now)
        reporting(.open) { () throws(FileError) in try synchronizeNames() }
        return Opening(index: filled, wasDoubtful: found != nil, freeBytes: free)
    }

    /// Lists the directory itself.
    func readDirectory(_ changes: inout IndexFile.ExternalChanges) throws(FileError) -> [DiskIndex.Found] {
        try index.locked { (taken) throws(FileError) -> [DiskIndex.Found] in
            changes = taken
            return try list()
        }
    }

    /// Rounds up to whole blocks. A length is whatever the file claims, so the largest ones are clamped to avoid an
    /// overflow.
    static func allocated(_ length: Int) -> Int { (min(max(0, length), .max - 4095) + 4095) & ~4095 }

    /// Reports a failure, unless the file or directory doesn't exist.
    func reporting(_ operation: CacheFailure.Operation, _ body: () throws(FileError) -> Void) {
        do throws(FileError) {
            try body()
        } catch {
            if !error.isNotFound { onFailure(CacheFailure(operation, error)) }
        }
    }

    // MARK: Reading

    /// Reads an entry: from the store's own directory unless it is known to be absent there, then from the others.
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

    /// Whether a read-only directory has an entry that hasn't expired. Only the end of the file is checked.
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

    /// The tail of an entry's file, which contains everything except the body, and the file's length.
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

    /// Writes a body unless it is no longer wanted, making room for it first.
    func write(_ writing: Writing, _ changes: inout IndexFile.ExternalChanges) -> WriteOutcome {
        var outcome = WriteOutcome()
        let item = writing.plan.mayRemain
        if let body = writing.pending.take(),
            let tail = EntryFile.tail(
                of: body, key: writing.key, metadata: writing.metadata, expires: writing.expires)
        {
            do throws(FileError) {
                if try publish([body, tail], writing.plan, &changes, &outcome) { return outcome }
                // The body is still wanted, and there will be another attempt.
                writing.pending.putBack(body)
            } catch {
                outcome.bytes = nil
                if error.code == ENOSPC, minimumFreeBytes > 0 {
                    // None of the space to be left free is free.
                    outcome.missing = minimumFreeBytes
                    writing.pending.putBack(body)
                } else {
                    outcome.failure = error
                }
            }
        }
        // An earlier file with that name, and the entries evicted to make room, are no longer counted.
        outcome.leftovers = remove(writing.plan.victims + [item], &changes)
        return outcome
    }

    /// Why `name` wasn't written; nil if it was superseded.
    func failure(of outcome: WriteOutcome, writing name: EntryName) -> CacheFailure? {
        if let failure = outcome.failure { return CacheFailure(.write, failure) }
        let reason: String
        if let missing = outcome.missing {
            reason = "\(missing) bytes fewer than \(minimumFreeBytes) would be free"
        } else if let needed = outcome.needed {
            reason = "the file takes \(needed) bytes, more than there was room for"
        } else {
            return nil
        }
        return CacheFailure(operation: .write, path: path(of: name), reason: reason)
    }

    /// Writes a temporary file and renames it, so that a partial entry is never visible.
    private func publish(
        _ parts: [Data], _ plan: DiskIndex.Plan, _ changes: inout IndexFile.ExternalChanges,
        _ outcome: inout WriteOutcome
    ) throws(FileError) -> Bool {
        let name = plan.mayRemain.name
        let path = path(of: name)
        let temporary = directory.freshTemporary()
        let isWritten = try makingDirectories { () throws(FileError) in
            // A link may have been put in its place, and the bytes would go to its target.
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
        // Until the rename, a larger file with other tags may have this name.
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

    /// The number of bytes still to be removed, once the victims are gone, before enough space is free.
    private func missingBytes(_ victims: [DiskIndex.Item]) throws(FileError) -> Int? {
        guard minimumFreeBytes > 0 else { return nil }
        let free = try files.freeBytes(at: directory.path)
        let missing = minimumFreeBytes - free - victims.reduce(0) { $0 + $1.bytes }
        return missing > 0 ? missing : nil
    }

    // MARK: Removing

    /// Removes entries. Returns those that could not be removed.
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
            // The other files are gone even if the index file still lists them.
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
            // For a directory, Linux reports EISDIR, Apple platforms EPERM.
            guard error.code == EISDIR || error.code == EPERM else { throw error }
            try moveAway(path(of: name))
        }
    }

    /// Moves whatever is at a path to the files to be deleted.
    func moveAway(_ path: String) throws(FileError) {
        try makeDirectory(directory.discarded)
        try files.rename(path, to: directory.freshDiscarded())
    }

    /// Moves a file that isn't a valid entry out of the way, unless another store has replaced it with one meanwhile.
    func discard(_ item: DiskIndex.Item, _ changes: inout IndexFile.ExternalChanges) -> [DiskIndex.Item] {
        do throws(FileError) {
            try index.locked { (taken) throws(FileError) in
                changes.add(taken)
                guard case .entry = defect(of: item.name, byteLimit: fileByteLimit) else {
                    // This store no longer counts it, so the directory must be read.
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

    /// Replaces the entries' directory with an empty one, whatever it contains. Returns what could not be removed.
    func empty(_ changes: inout IndexFile.ExternalChanges) -> [DiskIndex.Item] {
        do throws(FileError) {
            try makeRoot()
            try index.locked { (taken) throws(FileError) in
                changes.add(taken)
                try makeDirectory(directory.discarded)
                do throws(FileError) {
                    try files.rename(directory.entries, to: directory.freshDiscarded())
                } catch {
                    // There may be no such directory, or no place to move it to.
                    let isEmpty = try list().isEmpty
                    if !error.isNotFound || !isEmpty { throw error }
                }
                noteNames(in: try files.createDirectory(directory.entries))
                try index.empty()
            }
            // What other stores had recorded is gone with the rest.
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
