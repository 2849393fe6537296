import Foundation
import Synchronization

/// The work done on a store's threads: making system calls in order, and reporting failures that only affect cleaning
/// up.
final class DiskWork: Sendable {
    enum Defect: Error {
        case file(FileError)
        case entry(EntryFile.Defect)
        case expired
        /// Intact, but written longer ago than entries are kept. Only the index knows whether it has been used since.
        case old

        init(_ error: FileError) { self = error.isNoFile ? .entry(.noFile) : .file(error) }
    }

    /// The result of reading an entry.
    typealias Answer = Result<StoredEntry, Defect>

    let directory: DiskDirectory
    let files: FileSystem
    /// Reads entries that the system holds in memory. May be used on any thread.
    let warm: WarmFiles
    let index: IndexFile
    /// The number of bytes to leave free on the volume.
    let minimumFreeBytes: Int
    let synchronization: DiskSynchronization
    /// Directories with new names that may not be on the device.
    let newNames = Mutex<Set<String>>([])
    /// The directory keys read so far, by path.
    let keys = Mutex<[String: DirectoryKey]>([:])
    private let byteLimit: Int?
    /// The seconds since its last use after which an entry is no longer found; `Int.max` for no limit.
    private let timeToLive: Atomic<Int>
    /// The size in bytes of the largest file that is read.
    private let fileByteLimit: Int
    /// Read-only directories.
    private let bundled: [DiskDirectory]
    let onFailure: @Sendable (CacheFailure) -> Void

    /// - Parameter threads: The store's reading threads.
    init(
        _ settings: DiskStore.Settings, _ calls: any SystemCalls, _ run: SystemRun, _ time: TimeSource,
        readingOn threads: WorkerThreads, onFailure: @escaping @Sendable (CacheFailure) -> Void
    ) {
        directory = DiskDirectory(settings.directory.path)
        files = FileSystem(calls)
        warm = WarmFiles(directory.path, calls, time, closingOn: threads)
        index = IndexFile(directory, files, run: run, time: time, onFailure: onFailure)
        minimumFreeBytes = settings.minimumFreeBytes
        synchronization = settings.synchronization
        byteLimit = settings.maximumBytes
        timeToLive = Atomic(settings.limits(bytes: 0).timeToLive ?? .max)
        fileByteLimit = settings.fileByteLimit
        bundled = settings.bundledDirectories.map { DiskDirectory($0.path) }
        self.onFailure = onFailure
    }

    func path(of name: EntryName) -> String { directory.file(name) }

    var synchronizesWrites: Bool { synchronization == .always }

    // MARK: Opening

    /// Creates the directory and reads everything known about it. Returns the number of free bytes on the volume.
    func open(_ changes: inout IndexFile.Changes) throws(FileError) -> Int {
        // Changes read earlier, by an opening that failed or by a removal, must be reported again.
        index.close()
        try makeRoot()
        for path in [directory.entries, directory.temporary, directory.discarded] { try makeDirectory(path) }
        removeTemporary()
        let free = try files.freeBytes(at: directory.path)
        try index.locked(&changes) { (changes) throws(FileError) in
            // The records may list more than exists. Entries must not be evicted because of that.
            if let all = changes.all, all.totalBytes > byteLimit ?? .max { try index.recount(&changes) }
        }
        reporting(.open) { () throws(FileError) in try synchronizeNames() }
        return free
    }

    /// Compares the index file with the directory.
    func recount(_ changes: inout IndexFile.Changes) throws(FileError) {
        try index.locked(&changes) { (changes) throws(FileError) in try index.recount(&changes) }
    }

    /// Rounds up to whole blocks. A file may claim any length, so the largest lengths are clamped to avoid an overflow.
    static func allocated(_ length: Int) -> Int { (min(max(0, length), .max - 4095) + 4095) & ~4095 }

    /// Runs `body`. If it fails, returns nil and reports the failure, unless the file or directory doesn't exist.
    @discardableResult
    func reporting<Result>(_ operation: CacheFailure.Operation, _ body: () throws(FileError) -> Result) -> Result? {
        do throws(FileError) {
            return try body()
        } catch {
            if !error.isNotFound { onFailure(CacheFailure(operation, error)) }
            return nil
        }
    }

    // MARK: Reading

    /// Reads an entry: from the store's own directory unless it is known to be absent there, then from the read-only
    /// ones.
    ///
    /// - Parameter readsBody: Whether the body is read and checked. Otherwise, only the end of the file is read.
    func read(_ asked: StoredKey, _ presence: DiskIndex.Presence, now: Int64, readsBody: Bool = true) -> Answer {
        let read = readsBody ? readWhole : readHead
        let own =
            presence == .absent || isLinkInPlaceOfEntries ? nil : read(asked, path(of: asked.name), presence, now)
        if let own, case .success = own { return own }
        for directory in bundled {
            guard let key = self.key(asked, in: directory) else { continue }
            let found = read(key, directory.file(key.name), .absent, now)
            if case .success(var entry) = found {
                entry.metadata = entry.metadata.with(asked)
                return .success(entry)
            }
        }
        return own ?? .failure(.file(FileError(call: "open", path: asked.source, code: ENOENT)))
    }

    /// Whether the entries' directory was replaced by something else, through which nothing may be read.
    private var isLinkInPlaceOfEntries: Bool {
        do throws(FileError) {
            return try files.look(at: directory.entries).map { $0.kind != .directory } ?? false
        } catch {
            // Reading the entry will fail as well and report the error.
            return false
        }
    }

    /// The entry, if its file is held in memory by the system, is intact and isn't large. Doesn't block.
    ///
    /// It isn't inlined, so that a look-up has a small frame.
    @inline(never) func readWarm(_ key: StoredKey, _ presence: DiskIndex.Presence, now: Int64) -> Answer? {
        guard presence != .absent,
            let (file, modified) = warm.read(directory.relativeFile(key.name), byteLimit: Self.warmByteLimit),
            case .success(let entry) = check(file, modified, key, presence, now: now)
        else { return nil }
        return .success(entry)
    }

    /// The length of the largest file read on the cooperative pool. Reading and verifying it takes less than 0.1 ms.
    private static let warmByteLimit = 260 << 10

    /// Whether a read-only directory has an entry that hasn't expired. Only the end of the file is checked.
    func isBundled(_ key: StoredKey, now: Int64) -> Bool {
        bundled.contains { directory in
            self.key(key, in: directory).map { holds($0, at: directory.file($0.name), now: now) } ?? false
        }
    }

    private func readWhole(_ key: StoredKey, at path: String, _ presence: DiskIndex.Presence, now: Int64) -> Answer {
        do throws(FileError) {
            let (file, modified) = try files.readWithTime(path, byteLimit: fileByteLimit)
            return check(file, modified, key, presence, now: now)
        } catch {
            return .failure(Defect(error))
        }
    }

    /// An entry without its body.
    private func readHead(_ key: StoredKey, at path: String, _ presence: DiskIndex.Presence, now: Int64) -> Answer {
        readTail(at: path).flatMap { (tail, _) in
            guard tail.holds(key) else { return .failure(.entry(.otherKey)) }
            do throws(FileError) {
                let modified = timeToLive.load(ordering: .relaxed) == .max ? 0 : try files.status(path).modified
                if let defect = age(of: tail, modified, presence, now: now) { return .failure(defect) }
                guard EntryMetadata.hasItsFormat(tail.metadata) else { return .failure(.entry(.wrongMetadata)) }
                return .success(StoredEntry(StoredMetadata(key, tail.metadata, expires: tail.expires), body: Data()))
            } catch {
                return .failure(Defect(error))
            }
        }
    }

    private func check(
        _ file: Data, _ modified: Int, _ key: StoredKey, _ presence: DiskIndex.Presence, now: Int64
    ) -> Answer {
        do throws(EntryFile.Defect) {
            let contents = try EntryFile.contents(of: file, key: key)
            if let defect = age(of: contents.tail, modified, presence, now: now) { return .failure(defect) }
            guard EntryMetadata.hasItsFormat(contents.tail.metadata) else { return .failure(.entry(.wrongMetadata)) }
            let (tail, body) = (contents.tail, contents.body)
            return .success(StoredEntry(StoredMetadata(key, tail.metadata, expires: tail.expires), body: body))
        } catch {
            return .failure(.entry(error))
        }
    }

    func setTimeToLive(_ seconds: Int?) { timeToLive.store(seconds ?? .max, ordering: .relaxed) }

    /// The reason why an intact entry is too old to be found; nil if it isn't.
    private func age(
        of tail: EntryFile.Tail, _ modified: Int, _ presence: DiskIndex.Presence, now: Int64
    ) -> Defect? {
        if let expires = tail.expires, expires <= now { return .expired }
        if presence == .unknown, Int(now) - modified > timeToLive.load(ordering: .relaxed) { return .old }
        return nil
    }

    /// The tail of an entry's file, which contains everything except the body, and the file's status.
    func readTail(_ name: EntryName) -> Result<(EntryFile.Tail, FileStatus), Defect> { readTail(at: path(of: name)) }

    func readTail(at path: String) -> Result<(EntryFile.Tail, FileStatus), Defect> {
        let usual = readTail(at: path, inLast: EntryFile.usualEndLength)
        guard case .failure(.entry) = usual else { return usual }
        return readTail(at: path, inLast: EntryFile.endLength)
    }

    private func readTail(at path: String, inLast count: Int) -> Result<(EntryFile.Tail, FileStatus), Defect> {
        do throws(FileError) {
            let (end, file) = try files.readEnd(path, count: count)
            let tail = Result { () throws(EntryFile.Defect) in
                try EntryFile.lastTail(of: end, fileLength: file.length)
            }
            return tail.map { ($0, file) }.mapError(Defect.entry)
        } catch {
            return .failure(Defect(error))
        }
    }

    // MARK: Removing

    /// Removes entries. Returns those that could not be removed.
    ///
    /// - Parameter moment: When the entries expired, in seconds since 1970; nil if they are removed for another reason.
    ///   An expired entry that another store has replaced since is kept.
    func remove(
        _ items: [DiskIndex.Item], _ changes: inout IndexFile.Changes, expiredAt moment: UInt32? = nil
    ) -> [DiskIndex.Item] {
        guard !items.isEmpty else { return [] }
        var leftovers: [DiskIndex.Item] = []
        do throws(FileError) {
            try index.locked(&changes) { (changes) throws(FileError) in
                var removed: [IndexRecord] = []
                for item in items where moment.map({ !changes.hasNew(item.name, at: $0) }) ?? true {
                    do throws(FileError) {
                        try removeFile(item.name)
                        removed.append(.removed(item.name))
                    } catch {
                        onFailure(CacheFailure(.remove, error))
                        leftovers.append(item)
                    }
                }
                try index.add(removed, &changes)
            }
        } catch {
            if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            // Files are removed even without the lock, because removed entries must not reappear. An index file may
            // list files that are gone. Expired entries stay, because they are never found and may have been replaced.
            if moment == nil {
                for item in items { reporting(.remove) { () throws(FileError) in try removeFile(item.name) } }
            }
            leftovers = items.filter { files.exists(path(of: $0.name)) }
        }
        // Results of earlier reads of these entries are out of date.
        changes.noteOwn(leftovers.map { .removed($0.name) }, at: index.now)
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

    /// Moves whatever is at a path to the directory of files to be deleted.
    func moveAway(_ path: String) throws(FileError) {
        try makeDirectory(directory.discarded)
        try files.rename(path, to: directory.freshDiscarded())
    }

    /// Moves a file that isn't a valid entry out of the way, unless another store has replaced it with a valid one.
    func discard(_ item: DiskIndex.Item, _ changes: inout IndexFile.Changes) -> [DiskIndex.Item] {
        do throws(FileError) {
            try index.locked(&changes) { (changes) throws(FileError) in
                guard case .entry = defect(of: item.name, byteLimit: fileByteLimit) else {
                    return try noteFile(of: item.name, &changes)
                }
                try moveAway(path(of: item.name))
                try index.add([.removed(item.name)], &changes)
            }
            return []
        } catch {
            if error.isNotFound { return [] }
            return remove([item], &changes)
        }
    }

    /// Adds the file of an entry that this store no longer counts to the changes.
    private func noteFile(of name: EntryName, _ changes: inout IndexFile.Changes) throws(FileError) {
        guard let file = try files.look(at: path(of: name)), file.kind == .file else { return }
        let entry = IndexedEntry(units: 0, lastUse: index.now, isUnread: true).taking(file.allocated)
        changes.add([.entry(name, entry)], at: index.now)
    }

    /// Replaces the entries' directory with an empty one, whatever it contains. Returns the entries that could not be
    /// removed.
    func empty(_ changes: inout IndexFile.Changes) -> [DiskIndex.Item] {
        do throws(FileError) {
            try makeRoot()
            try index.locked(&changes) { _ throws(FileError) in
                try makeDirectory(directory.discarded)
                do throws(FileError) {
                    try files.rename(directory.entries, to: directory.freshDiscarded())
                } catch {
                    // There may be no such directory, or no place to move it to.
                    let isEmpty = try index.list().isEmpty
                    if !error.isNotFound || !isEmpty { throw error }
                }
                noteNames(in: try files.createDirectory(directory.entries))
                try index.empty()
            }
            // The records of other stores are gone with the rest.
            changes = IndexFile.Changes()
            return []
        } catch {
            onFailure(CacheFailure(.remove, error))
        }
        let found = reporting(.remove) { () throws(FileError) in try index.list() } ?? []
        return remove(found.map { DiskIndex.Item(name: $0.name, bytes: $0.bytes) }, &changes)
    }
}
