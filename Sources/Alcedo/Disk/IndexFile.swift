import Foundation
import Synchronization

/// The index file of a store, and the lock of its directory. Blocks; used on the store's writing thread alone.
///
/// Several stores, of this process and of others, may have one directory. Who changes something holds the lock
/// meanwhile, takes in what the others have added to the file, and adds what it does itself: an entry before it gets
/// its name, a removal after it. So the file never tells of fewer entries than there are, wherever a program is killed.
final class IndexFile: Sendable {
    /// What others have done.
    struct ExternalChanges: Sendable {
        var records: [IndexRecord] = []
        /// Whether the records tell of everything, and what was known before is void.
        var isAnew = false
        /// Whether entries may be there that no record tells of.
        var isDoubtful = false

        var isEmpty: Bool { records.isEmpty && !isAnew && !isDoubtful }
    }

    /// How far a store has taken in an index file.
    struct Place: Hashable, Sendable {
        /// Another one for each file.
        var generation = 0
        var offset = 0
    }

    /// A file that is kept open.
    private struct OpenFile {
        let descriptor: Int32
        let identity: FileStatus.Identity
    }

    private struct State {
        var lock: OpenFile?
        var file: OpenFile?
        /// The directory that the entries lie in; nil when it was not looked at yet.
        var entries: FileStatus.Identity?
        var place = Place()
        /// Bytes of the snapshot that the file begins with.
        var snapshot = 0
    }

    private let directory: DiskDirectory
    private let files: FileSystem
    private let run: SystemRun
    private let byteLimit: Int
    private let state = Mutex(State())

    /// - Parameter run: what was written to the file under another is not trusted.
    init(_ directory: DiskDirectory, _ files: FileSystem, byteLimit: Int = 1 << 30, run: SystemRun) {
        self.directory = directory
        self.files = files
        self.byteLimit = byteLimit
        self.run = run
    }

    /// How far the file has been taken in.
    var place: Place { state.withLock { $0.place } }

    /// Whether the file has grown so much since its snapshot that a new one is worth its while.
    var isLong: Bool {
        state.withLock { $0.place.offset - $0.snapshot > max($0.snapshot, 1 << 20) }
    }

    // MARK: The lock

    /// Does `body` while no other store changes anything; it is told what others have done since the last time. Fails
    /// when the directory is not there: then there is nothing to change.
    func locked<Result>(
        _ body: (ExternalChanges) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let lock = try lockDirectory()
        let result: Result
        do throws(FileError) {
            let isElsewhere = try checkEntries()
            var changes = try takeIn()
            if isElsewhere { changes.isDoubtful = changes.isDoubtful || !changes.isAnew }
            result = try body(changes)
        } catch {
            close(lock)
            throw error
        }
        do throws(FileError) {
            try files.unlock(lock, directory.lock)
        } catch {
            // What was done is done; to close the file frees the lock whatever happens.
            close(lock)
        }
        return result
    }

    private func lockDirectory() throws(FileError) -> Int32 {
        for _ in 0..<Self.mostTries {
            let lock = try openLock()
            do throws(FileError) {
                try files.lock(lock.descriptor, directory.lock)
                // The directory may have been deleted, or moved away, and made again: the lock of a file that has not
                // this name any more keeps no one out.
                if try files.look(at: directory.lock)?.identity == lock.identity { return lock.descriptor }
            } catch {
                close(lock.descriptor)
                throw error
            }
            close(lock.descriptor)
        }
        throw FileError(call: "flock", path: directory.lock, code: ESTALE)
    }

    /// Who finds another file at the name this many times in a row is on a volume that can't tell files apart.
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

    /// Opens the index or the lock. A link or a directory in its place would keep the store closed for ever.
    private func open(_ path: String) throws(FileError) -> (OpenFile, FileStatus) {
        do throws(FileError) {
            return try openFile(path)
        } catch {
            guard error.code == ELOOP || error.code == EISDIR else { throw error }
            // Another store may have put a file there by now.
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

    /// Whether the entries lie in another directory than the last time: what is known of them no longer holds. What is
    /// no directory is removed, as nothing may be written through a link.
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

    /// What the file has that has not been taken in.
    private func takeIn() throws(FileError) -> ExternalChanges {
        if let file = state.withLock({ $0.file }) {
            let place = place
            if let status = try files.look(at: directory.index), status.identity == file.identity {
                if status.length == place.offset { return ExternalChanges() }
                if status.length > place.offset { return try readOn(file.descriptor, to: status.length) }
            }
            // Another store has put a new file in its place, or somebody another directory in the place of this one.
            forgetFile()
        }
        return try readAnew()
    }

    private func forgetFile() {
        let file = state.withLock { state in
            defer { state.file = nil }
            return state.file
        }
        if let file { files.close(file.descriptor) }
    }

    private func readAnew() throws(FileError) -> ExternalChanges {
        let (file, status) = try open(directory.index)
        let length = status.length
        do throws(FileError) {
            var changes = ExternalChanges(isAnew: true, isDoubtful: true)
            if let began = try readHeader(file.descriptor, of: length) {
                let whole = try readRecords(file.descriptor, from: IndexLog.headerLength, to: length, &changes)
                // What the device has of a file that was written before the system started anew, no one knows.
                changes.isDoubtful = whole < length || began != run.identity() || began == 0
                if whole == length { return adopt(file, offset: length, changes) }
            }
            // Until there is a new snapshot, a file without a header tells whoever comes that it does not tell of
            // everything.
            try truncate(file.descriptor, to: 0, from: length)
            return adopt(file, offset: 0, changes)
        } catch {
            files.close(file.descriptor)
            throw error
        }
    }

    private func adopt(_ file: OpenFile, offset: Int, _ changes: ExternalChanges) -> ExternalChanges {
        state.withLock { state in
            state.file = file
            state.place = Place(generation: state.place.generation + 1, offset: offset)
            state.snapshot = offset
        }
        return changes
    }

    private func readOn(_ file: Int32, to length: Int) throws(FileError) -> ExternalChanges {
        var changes = ExternalChanges()
        let whole = try readRecords(file, from: place.offset, to: length, &changes)
        if whole < length {
            // Somebody was killed while he wrote it: nobody else writes meanwhile.
            changes.isDoubtful = true
            try truncate(file, to: whole, from: length)
        }
        state.withLock { $0.place.offset = whole }
        return changes
    }

    /// The run that a file was begun in; nil when it is no index file, of which no more is read then.
    private func readHeader(_ file: Int32, of length: Int) throws(FileError) -> UInt64? {
        guard length >= IndexLog.headerLength, length <= byteLimit else { return nil }
        return IndexLog.run(of: try files.read(file, from: 0, to: IndexLog.headerLength, directory.index))
    }

    /// Reads records in parts, up to the first that is not whole; what lies behind it is not read.
    ///
    /// - Returns: where they end in the file.
    private func readRecords(
        _ file: Int32, from start: Int, to end: Int, _ changes: inout ExternalChanges
    ) throws(FileError) -> Int {
        var offset = start
        while offset < end {
            let part = min(end - offset, Self.partLength)
            let bytes = try files.read(file, from: offset, to: offset + part, directory.index)
            let whole = IndexLog.read(bytes) { changes.records.append($0) }
            offset += whole
            // Unless it was the last part, it may end within a record, which is no longer than one can be.
            if bytes.count < part || part < Self.partLength || part - whole >= IndexLog.mostRecordLength { break }
        }
        return offset
    }

    private static let partLength = 1 << 20

    private func truncate(_ file: Int32, to length: Int, from oldLength: Int) throws(FileError) {
        if length < oldLength { try files.truncate(file, to: length, directory.index) }
    }

    // MARK: Writing, while the lock is held

    /// Adds records; none of them is there when it throws.
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
                // What comes behind half a record would be lost: the next who looks reads it anew and cuts it off.
                forgetFile()
            }
            throw error
        }
    }

    /// Puts a new file in the place of this one, unless that has changed in another way than by additions.
    ///
    /// - Parameters:
    ///   - records: all there was to tell at `place`, or after.
    ///   - place: what was added later is taken over.
    func replace(with records: [IndexRecord], knownUpTo place: Place) throws(FileError) {
        guard let file = state.withLock({ $0.file })?.descriptor, self.place.generation == place.generation else {
            return
        }
        let later = try files.read(file, from: place.offset, to: self.place.offset, directory.index)
        let snapshot = IndexLog.header(run: run.identity()) + IndexLog.bytes(of: records)
        try start(with: snapshot, later)
    }

    /// Puts a file that tells of no entry in the place of this one.
    func empty() throws(FileError) {
        _ = try checkEntries()
        try start(with: IndexLog.header(run: run.identity()), Data())
    }

    private func start(with snapshot: Data, _ later: Data) throws(FileError) {
        let temporary = directory.freshTemporary()
        try files.createOwnDirectory(directory.temporary)
        _ = try files.publish([snapshot, later], by: temporary, synchronizes: false) { _ throws(FileError) in
            try files.rename(temporary, to: directory.index)
            return true
        }
        let (file, _) = try open(directory.index)
        forgetFile()
        state.withLock { state in
            state.file = file
            state.place = Place(
                generation: state.place.generation + 1, offset: snapshot.count + later.count)
            state.snapshot = snapshot.count
        }
    }

    /// Gives the files back.
    func close() {
        forgetFile()
        let lock = state.withLock { state in
            defer { state.lock = nil }
            return state.lock
        }
        if let lock { files.close(lock.descriptor) }
    }
}
