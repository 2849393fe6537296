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
    }

    private let directory: String
    private let fileByteLimit: Int
    private let files: any FileSystem
    private let readers: WorkerThreads
    private let lane: WorkerThreads
    private let onFailure: @Sendable (CacheFailure) -> Void

    private var index: DiskIndex
    private var removals = RemovalLog<ResourceKey>()
    /// Bodies handed over and not yet on disk; they answer look-ups at once.
    private var staged: [ResourceKey: Staged] = [:]
    private var stagedBytes = 0
    private var lastNumber: UInt64 = 0
    /// Stores that came before the directory was read.
    private var early: [ResourceKey] = []
    private var opening: Task<Void, Never>?
    /// Numbers of the writes handed to the lane whose outcome is not known yet.
    private var writing: Set<UInt64> = []
    private var flushes: [(writes: Set<UInt64>, continuation: CheckedContinuation<Void, Never>)] = []

    /// - Parameters:
    ///   - directory: the store's own; made when it is first used.
    ///   - byteLimit: bytes of all entries, each counted in whole blocks of 4 KiB.
    ///   - onFailure: called for each failure, on any thread.
    package init(
        directory: String, byteLimit: Int, files: any FileSystem = PosixFileSystem(),
        onFailure: @escaping @Sendable (CacheFailure) -> Void = { _ in }
    ) {
        self.directory = directory
        self.fileByteLimit = byteLimit
        self.files = files
        self.readers = WorkerThreads("disk.read", count: 2)
        self.lane = WorkerThreads("disk.write", count: 1)
        self.onFailure = onFailure
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
        let (files, path, byteLimit) = (files, path(of: name), fileByteLimit)
        let read = await readers.runUnlessCancelled { Self.read(path, key, byteLimit: byteLimit, from: files) }
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
        unstage(key)
        guard stagedBytes + body.count <= Self.stagedByteLimit else {
            let reason = "\(stagedBytes) bytes wait to be written already"
            return onFailure(CacheFailure(operation: .write, path: path(of: EntryName(key)), reason: reason))
        }
        lastNumber += 1
        staged[key] = Staged(body: body, number: lastNumber)
        stagedBytes += body.count
        if index.isComplete { write(key) } else { early.append(key) }
    }

    /// Removes an entry; it is gone from the disk on return.
    package func remove(_ key: ResourceKey) async {
        removals.record(key)
        unstage(key)
        let name = EntryName(key)
        index.remove(name)
        await runInLane([path(of: name)])
    }

    /// Removes all entries; they are gone from the disk on return.
    package func removeAll() async {
        removals.recordAll()
        staged.removeAll()
        stagedBytes = 0
        early.removeAll()
        index.removeAll()
        let (files, directory, onFailure) = (files, directory, onFailure)
        await lane.run {
            do throws(FileError) {
                let names = try files.list(directory).map(\.name).filter { EntryName(fileName: $0) != nil }
                Self.remove(names.map { directory + "/" + $0 }, from: files, onFailure)
            } catch {
                if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            }
        }
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

    /// Reads the directory, once; look-ups go on meanwhile.
    private func open() {
        guard opening == nil else { return }
        opening = Task.detached { [lane, files, directory, onFailure] in
            let found = await lane.run { () -> [FileEntry] in
                do throws(FileError) {
                    try files.createDirectory(directory)
                    return try DiskJanitor.tidy(directory, files)
                } catch {
                    onFailure(CacheFailure(.open, error))
                    return []
                }
            }
            await self.opened(with: found)
        }
    }

    private func opened(with found: [FileEntry]) {
        let entries = found.sorted { $0.modified < $1.modified }.compactMap { file in
            EntryName(fileName: file.name).map { (name: $0, bytes: Self.allocated(file.length)) }
        }
        remove(index.complete(with: entries))
        let waiting = early
        early.removeAll()
        for key in waiting { write(key) }
    }

    // MARK: Work for the lane

    private func write(_ key: ResourceKey) {
        guard let item = staged[key] else { return }
        let name = EntryName(key)
        let target = path(of: name)
        guard let plan = index.insert(name, bytes: Self.allocated(EntryFile.length(of: item.body, key: key))) else {
            unstage(key)
            return remove([name])
        }
        let victims = plan.victims.map(path(of:))
        let temporary = directory + "/" + DiskJanitor.temporaryName()
        writing.insert(item.number)
        lane.submit { [files, onFailure] in
            Self.remove(victims, from: files, onFailure)
            let failure = Self.publish(item.body, key, at: target, through: temporary, files)
            Task { await self.wrote(key, item.number, name, plan.version, failure) }
        }
    }

    private func wrote(
        _ key: ResourceKey, _ number: UInt64, _ name: EntryName, _ version: DiskIndex.Version, _ failure: FileError?
    ) {
        if staged[key]?.number == number { unstage(key) }
        if let failure {
            index.remove(name, version: version)
            onFailure(CacheFailure(.write, failure))
        }
        writing.remove(number)
        for index in flushes.indices { flushes[index].writes.remove(number) }
        let ended = flushes.filter(\.writes.isEmpty)
        flushes.removeAll(where: \.writes.isEmpty)
        for flush in ended { flush.continuation.resume() }
    }

    private func remove(_ names: [EntryName]) {
        guard !names.isEmpty else { return }
        lane.submit { [files, onFailure, paths = names.map(path(of:))] in Self.remove(paths, from: files, onFailure) }
    }

    private func runInLane(_ paths: [String]) async {
        await lane.run { [files, onFailure] in Self.remove(paths, from: files, onFailure) }
    }

    private func handle(_ defect: ReadDefect, of name: EntryName, _ presence: DiskIndex.Presence) {
        switch defect {
        case .file(let error):
            if !error.isNotFound { onFailure(CacheFailure(.read, error)) }
            // Someone else removed it: the index learns of it.
            if case .present(let version) = presence { index.remove(name, version: version) }
        case .entry(let defect):
            onFailure(CacheFailure(operation: .read, path: path(of: name), reason: "not a whole entry: \(defect)"))
            // A newer write of that name has another version and stays.
            if index.presence(of: name) == presence {
                index.remove(name)
                remove([name])
            }
        }
    }

    private func unstage(_ key: ResourceKey) {
        if let item = staged.removeValue(forKey: key) { stagedBytes -= item.body.count }
    }

    private func path(of name: EntryName) -> String { directory + "/" + name.text }

    private static let stagedByteLimit = 64 << 20

    private static func allocated(_ length: Int) -> Int { (length + 4095) & ~4095 }
}

// MARK: - On the threads

extension DiskStore {
    fileprivate enum ReadDefect: Error {
        case file(FileError)
        case entry(EntryFile.Defect)
    }

    fileprivate static func read(
        _ path: String, _ key: ResourceKey, byteLimit: Int, from files: any FileSystem
    ) -> Result<Data, ReadDefect> {
        do throws(FileError) {
            let file = try files.read(path, byteLimit: byteLimit)
            do throws(EntryFile.Defect) {
                return .success(try EntryFile.body(of: file, key: key))
            } catch {
                return .failure(.entry(error))
            }
        } catch {
            return .failure(.file(error))
        }
    }

    /// Writes a file of another name and renames it, so that the entry is never there in part.
    fileprivate static func publish(
        _ body: Data, _ key: ResourceKey, at path: String, through temporary: String, _ files: any FileSystem
    ) -> FileError? {
        do throws(FileError) {
            let parts = [body, EntryFile.tail(of: body, key: key)]
            do throws(FileError) {
                try files.create(temporary, parts)
            } catch  where error.isNotFound {
                // The directory was deleted under our feet.
                try files.createDirectory((path as NSString).deletingLastPathComponent)
                try files.create(temporary, parts)
            }
            try files.rename(temporary, to: path)
            return nil
        } catch {
            remove([temporary], from: files) { _ in }
            return error
        }
    }

    fileprivate static func remove(
        _ paths: [String], from files: any FileSystem, _ onFailure: (CacheFailure) -> Void
    ) {
        for path in paths {
            do throws(FileError) {
                try files.remove(path)
            } catch {
                if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            }
        }
    }
}
