import Foundation
import Synchronization

/// The index file of a store, and the lock of its directory. Its functions block, and are used only on the store's
/// writing thread unless stated otherwise.
///
/// Several stores, in this process and in others, may share one directory. To change something, a store takes the lock,
/// reads what the others have appended to the file, and appends its own changes: an entry before its file gets its
/// name, a removal after the file is removed. A new snapshot is made from the file itself, under the lock, and not from
/// what a store knows. If the file may be incomplete, the first store to take the lock counts the files of the entries
/// and writes a new index file. Therefore, the file never lists fewer entries than exist, no matter when a program is
/// killed.
final class IndexFile: Sendable {
    /// A file that stays open.
    struct OpenFile {
        let descriptor: Int32
        let identity: FileStatus.Identity
    }

    struct State {
        fileprivate var lock: OpenFile?
        var file: OpenFile?
        /// The directory that contains the entries; nil before it is first checked.
        fileprivate var entries: FileStatus.Identity?
        /// The number of bytes of the file that have been read.
        var offset = 0
        /// The length in bytes of the snapshot at the beginning of the file.
        var snapshot = 0
        /// Whether another store has changed something.
        var hasNeighbors = false
        /// The latest version of the indexes made from the file.
        var lastVersion = DiskIndex.firstVersionApart
    }

    let directory: DiskDirectory
    let files: FileSystem
    let run: SystemRun
    let byteLimit: Int
    private let time: TimeSource
    let onFailure: @Sendable (CacheFailure) -> Void
    let state = Mutex(State())

    /// - Parameter run: The current boot. Records written during another boot aren't trusted.
    init(
        _ directory: DiskDirectory, _ files: FileSystem, byteLimit: Int = 1 << 30, run: SystemRun, time: TimeSource,
        onFailure: @escaping @Sendable (CacheFailure) -> Void
    ) {
        self.directory = directory
        self.files = files
        self.byteLimit = byteLimit
        self.run = run
        self.time = time
        self.onFailure = onFailure
    }

    var now: UInt32 { UInt32(clamping: time.secondsSince1970()) }

    /// Whether the file has grown so much since its snapshot that a new one is worthwhile.
    var isLong: Bool { state.withLock { $0.offset - $0.snapshot > max($0.snapshot, 1 << 20) } }

    /// Whether another store has changed something since this one was opened, so that there may be files that this
    /// store didn't know of when it decided what to do.
    var hasNeighbors: Bool { state.withLock { $0.hasNeighbors } }

    // MARK: The lock

    /// Runs `body` while no other store changes anything, and adds to `changes` what others have done since the last
    /// time. Fails when the directory doesn't exist, since there is nothing to change then.
    func locked<Result>(
        _ changes: inout Changes, _ body: (inout Changes) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let lock = try lockDirectory { () throws(FileError) in try openLock() }
        let result: Result
        do throws(FileError) {
            try takeIn(&changes, entriesAreElsewhere: try checkEntries())
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

    /// Runs `body` while no store changes anything, without reading what others have done. May be called on any thread
    /// that may block.
    func lockedApart(_ body: () throws(FileError) -> Void) throws(FileError) {
        let lock = try lockDirectory { () throws(FileError) in try open(directory.lock).0 }
        defer { files.close(lock, directory.lock) }
        try body()
    }

    private func lockDirectory(_ open: () throws(FileError) -> OpenFile) throws(FileError) -> Int32 {
        for _ in 0..<Self.mostTries {
            let lock = try open()
            do throws(FileError) {
                try files.lock(lock.descriptor, directory.lock)
                // The directory may have been deleted, or moved away, and created again. The lock of a file that no
                // longer has this name excludes no other store.
                if try files.look(at: directory.lock)?.identity == lock.identity { return lock.descriptor }
            } catch {
                close(lock.descriptor)
                throw error
            }
            close(lock.descriptor)
        }
        throw FileError(call: "flock", path: directory.lock, code: ESTALE)
    }

    /// The maximum number of attempts. If all of them find another file under the name, the volume can't distinguish
    /// files.
    private static let mostTries = 64

    private func close(_ lock: Int32) {
        state.withLock { if $0.lock?.descriptor == lock { $0.lock = nil } }
        files.close(lock, directory.lock)
    }

    private func openLock() throws(FileError) -> OpenFile {
        if let lock = state.withLock({ $0.lock }) { return lock }
        let (lock, _) = try open(directory.lock)
        state.withLock { $0.lock = lock }
        return lock
    }

    /// Opens the index or the lock. Moves away a link or directory in its place, which would prevent the store from
    /// ever opening.
    func open(_ path: String) throws(FileError) -> (OpenFile, FileStatus) {
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
            files.close(file, path)
            throw error
        }
    }

    /// Whether the entries are in a different directory than last time, so that what is known about them no longer
    /// holds. A non-directory is removed, because nothing may be written through a link.
    func checkEntries() throws(FileError) -> Bool {
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

    /// Closes the files.
    func close() {
        forgetFile()
        if let lock = state.withLock({ $0.lock.take() }) { files.close(lock.descriptor, directory.lock) }
    }
}
