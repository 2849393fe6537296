import Foundation
import Synchronization

/// The index file of a store, and the lock of its directory. Blocks; used on the store's writing thread only.
///
/// Several stores, in this process and in others, may share one directory. A store that changes something holds the
/// lock meanwhile, reads what the others have appended to the file, and appends its own changes: an entry before it
/// gets its name, a removal after it. So the file never lists fewer entries than there are, wherever a program is
/// killed.
final class IndexFile: Sendable {
    /// Changes by other stores.
    struct ExternalChanges: Sendable {
        var records: [IndexRecord] = []
        /// Whether the records are complete, and what was known before is void.
        var isAnew = false
        /// Whether there may be entries that no record lists.
        var isDoubtful = false

        var isEmpty: Bool { records.isEmpty && !isAnew && !isDoubtful }

        /// Appends later changes.
        mutating func add(_ later: Self) {
            if later.isAnew {
                self = later
            } else {
                records += later.records
                isDoubtful = isDoubtful || later.isDoubtful
            }
        }
    }

    /// How far a store has read an index file.
    struct Place: Hashable, Sendable {
        /// Different for each file.
        var generation = 0
        var offset = 0
    }

    /// A file that stays open.
    private struct OpenFile {
        let descriptor: Int32
        let identity: FileStatus.Identity
    }

    private struct State {
        var lock: OpenFile?
        var file: OpenFile?
        /// The directory that contains the entries; nil before it was first checked.
        var entries: FileStatus.Identity?
        var place = Place()
        /// The length in bytes of the snapshot at the beginning of the file.
        var snapshot = 0
    }

    private let directory: DiskDirectory
    private let files: FileSystem
    private let run: SystemRun
    private let byteLimit: Int
    private let state = Mutex(State())

    /// - Parameter run: The current boot. Records written during another one aren't trusted.
    init(_ directory: DiskDirectory, _ files: FileSystem, byteLimit: Int = 1 << 30, run: SystemRun) {
        self.directory = directory
        self.files = files
        self.byteLimit = byteLimit
        self.run = run
    }

    /// How far the file has been read.
    var place: Place { state.withLock { $0.place } }

    /// Whether the file has grown so much since its snapshot that a new one is worthwhile.
    var isLong: Bool {
        state.withLock { $0.place.offset - $0.snapshot > max($0.snapshot, 1 << 20) }
    }

    // MARK: The lock

    /// Runs `body` while no other store changes anything, and adds to `changes` what others have done since the last
    /// time. Fails when the directory doesn't exist, since there is nothing to change then.
    func locked<Result>(
        _ changes: inout ExternalChanges, _ body: (inout ExternalChanges) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let lock = try lockDirectory()
        let result: Result
        do throws(FileError) {
            let isElsewhere = try checkEntries()
            var taken = try takeIn()
            if isElsewhere { taken.isDoubtful = taken.isDoubtful || !taken.isAnew }
            changes.add(taken)
            result = try body(&changes)
        } catch {
            close(lock)
            throw error
        }
        do throws(FileError) {
            try files.unlock(lock, directory.lock)
        } catch {
            // The changes are made; closing the file releases the lock in any case.
            close(lock)
        }
        return result
    }

    private func lockDirectory() throws(FileError) -> Int32 {
        for _ in 0..<Self.mostTries {
            let lock = try openLock()
            do throws(FileError) {
                try files.lock(lock.descriptor, directory.lock)
                // The directory may have been deleted, or moved away, and created again. The lock of a file that no
                // longer has this name excludes nobody.
                if try files.look(at: directory.lock)?.identity == lock.identity { return lock.descriptor }
            } catch {
                close(lock.descriptor)
                throw error
            }
            close(lock.descriptor)
        }
        throw FileError(call: "flock", path: directory.lock, code: ESTALE)
    }

    /// If another file has the name this many times in a row, the volume can't distinguish files.
    private static let mostTries = 64

    private func close(_ lock: Int32) {
        state.withLock { $0.lock = nil }
        files.close(lock)
    }

    private func openLock() throws(FileError) -> OpenFile {
        if let lock = state.withLock({ $0.lock }) { return lock }
        let (lock, _) = try open(directory.lock)
        state.withLock { $0.lock = lock }
        return lock
    }

    /// Opens the index or the lock. A link or a directory in its place would prevent the store from ever opening.
    private func open(_ path: String) throws(FileError) -> (OpenFile, FileStatus) {
        do throws(FileError) {
            return try openFile(path)
        } catch {
            guard error.code == ELOOP || error.code == EISDIR else { throw error }
            // Another store may have created a file there by now.
            if try files.look(at: path)?.kind != .file {
                try files.createOwnDirectory(directory.discarded)
                try files.rename(path, to: directory.freshDiscarded())
            }
            return try openFile(path)
        }
    }

    private func openFile(_ path: String) throws(FileError) -> (OpenFile, FileStatus) {
        let file = try files.openForAppending(path)
        do throws(FileError) {
            let status = try files.status(of: file, path)
            return (OpenFile(descriptor: file, identity: status.identity), status)
        } catch {
            files.close(file)
            throw error
        }
    }

    /// Whether the entries are in a different directory than last time, so that what is known about them no longer
    /// holds. A non-directory is removed, because nothing may be written through a link.
    private func checkEntries() throws(FileError) -> Bool {
        var status = try files.look(at: directory.entries)
        if let found = status, found.kind != .directory {
            try files.remove(directory.entries)
            status = nil
        }
        let identity = status?.identity ?? .nothing
        return state.withLock { state in
            defer { state.entries = identity }
            return state.entries != nil && state.entries != identity
        }
    }

    // MARK: Reading

    /// What was appended to the file since it was last read.
    private func takeIn() throws(FileError) -> ExternalChanges {
        if let file = state.withLock({ $0.file }) {
            let place = place
            if let status = try files.look(at: directory.index), status.identity == file.identity {
                if status.length == place.offset { return ExternalChanges() }
                if status.length > place.offset { return try readOn(file.descriptor, to: status.length) }
            }
            // Another store has replaced the file, or somebody has replaced the directory.
            forgetFile()
        }
        return try readAnew()
    }

    private func forgetFile() {
        if let file = state.withLock({ $0.file.take() }) { files.close(file.descriptor) }
    }

    private func readAnew() throws(FileError) -> ExternalChanges {
        let (file, status) = try open(directory.index)
        let length = status.length
        do throws(FileError) {
            var changes = ExternalChanges(isAnew: true, isDoubtful: true)
            var offset = 0
            if let began = try readHeader(file.descriptor, of: length) {
                let whole = try readRecords(file.descriptor, from: IndexLog.headerLength, to: length, &changes)
                // What the device holds of a file written before a reboot is unknown.
                changes.isDoubtful = whole < length || began != run.identity() || began == 0
                if whole == length { offset = length }
            }
            // Until there is a new snapshot, a file without a header tells other stores that it is incomplete.
            if offset == 0 { try truncate(file.descriptor, to: 0, from: length) }
            adopt(file, offset: offset)
            return changes
        } catch {
            files.close(file.descriptor)
            throw error
        }
    }

    /// Continues with a file that begins with a snapshot of `snapshot` bytes.
    private func adopt(_ file: OpenFile, offset: Int, snapshot: Int? = nil) {
        state.withLock { state in
            state.file = file
            state.place = Place(generation: state.place.generation + 1, offset: offset)
            state.snapshot = snapshot ?? offset
        }
    }

    private func readOn(_ file: Int32, to length: Int) throws(FileError) -> ExternalChanges {
        var changes = ExternalChanges()
        let whole = try readRecords(file, from: place.offset, to: length, &changes)
        if whole < length {
            // Another store was killed while writing this; nobody else writes while the lock is held.
            changes.isDoubtful = true
            try truncate(file, to: whole, from: length)
        }
        state.withLock { $0.place.offset = whole }
        return changes
    }

    /// The boot during which a file was started. Nil when it isn't an index file, in which case no more of it is read.
    private func readHeader(_ file: Int32, of length: Int) throws(FileError) -> UInt64? {
        guard length >= IndexLog.headerLength, length <= byteLimit else { return nil }
        return IndexLog.run(of: try files.read(file, from: 0, to: IndexLog.headerLength, directory.index))
    }

    /// Reads records in chunks, up to the first incomplete one. Nothing after it is read.
    ///
    /// - Returns: The offset in the file at which they end.
    private func readRecords(
        _ file: Int32, from start: Int, to end: Int, _ changes: inout ExternalChanges
    ) throws(FileError) -> Int {
        var offset = start
        while offset < end {
            let part = min(end - offset, Self.partLength)
            let bytes = try files.read(file, from: offset, to: offset + part, directory.index)
            let whole = IndexLog.read(bytes) { changes.records.append($0) }
            offset += whole
            // Except for the last chunk, a chunk may end within a record, which has a maximum length.
            if bytes.count < part || part < Self.partLength || part - whole >= IndexLog.mostRecordLength { break }
        }
        return offset
    }

    private static let partLength = 1 << 20

    private func truncate(_ file: Int32, to length: Int, from oldLength: Int) throws(FileError) {
        if length < oldLength { try files.truncate(file, to: length, directory.index) }
    }

    // MARK: Writing, while the lock is held

    /// Appends records. If it throws, none of them was added.
    func add(_ records: [IndexRecord]) throws(FileError) {
        guard !records.isEmpty, let file = state.withLock({ $0.file })?.descriptor else { return }
        let bytes = IndexLog.bytes(of: records)
        let offset = place.offset
        do throws(FileError) {
            try files.write([bytes], to: file, directory.index)
            state.withLock { $0.place.offset = offset + bytes.count }
        } catch {
            do throws(FileError) {
                try files.truncate(file, to: offset, directory.index)
            } catch {
                // Anything after half a record would be lost. The next reader rereads the file and truncates it.
                forgetFile()
            }
            throw error
        }
    }

    /// Replaces this file with a new one, unless it has changed other than by appending.
    ///
    /// - Parameters:
    ///   - records: The complete state at `place` or later.
    ///   - place: What was appended after this is carried over.
    func replace(with records: [IndexRecord], knownUpTo place: Place) throws(FileError) {
        guard let file = state.withLock({ $0.file })?.descriptor, self.place.generation == place.generation else {
            return
        }
        let later = try files.read(file, from: place.offset, to: self.place.offset, directory.index)
        let snapshot = IndexLog.header(run: run.identity()) + IndexLog.bytes(of: records)
        try start(with: snapshot, later)
    }

    /// Replaces this file with one without entries.
    func empty() throws(FileError) {
        _ = try checkEntries()
        try start(with: IndexLog.header(run: run.identity()), Data())
    }

    private func start(with snapshot: Data, _ later: Data) throws(FileError) {
        let temporary = directory.freshTemporary()
        try files.createOwnDirectory(directory.temporary)
        _ = try files.publish([snapshot, later], by: temporary, synchronizes: false) { (file) throws(FileError) in
            try files.rename(file.path, to: directory.index)
            return true
        }
        let (file, _) = try open(directory.index)
        forgetFile()
        adopt(file, offset: snapshot.count + later.count, snapshot: snapshot.count)
    }

    /// Closes the files.
    func close() {
        forgetFile()
        if let lock = state.withLock({ $0.lock.take() }) { files.close(lock.descriptor) }
    }
}
