import Foundation
import Synchronization

// A store's directories: creating them, removing files that aren't entries, and synchronizing with the device.

extension DiskWork {
    /// Creates the store's directory and its ancestors where they don't exist.
    func makeRoot() throws(FileError) {
        let parents = try files.createDirectory(directory.path)
        noteNames(in: parents)
        if !parents.isEmpty { noteNames(in: [directory.path]) }
    }

    /// Creates one of the store's own directories, and removes anything else in its place.
    func makeDirectory(_ path: String) throws(FileError) {
        noteNames(in: try files.createOwnDirectory(path))
    }

    /// Runs `body`. If the directory has been deleted, creates it and runs `body` once more.
    func makingDirectories<Result>(_ body: () throws(FileError) -> Result) throws(FileError) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            guard error.isNotFound else { throw error }
            try makeRoot()
            for path in [directory.entries, directory.temporary] { try makeDirectory(path) }
            return try body()
        }
    }

    /// Removes temporary files that are no longer being written.
    func removeTemporary() {
        reporting(.remove) { () throws(FileError) in
            for name in try files.names(directory.temporary) {
                reporting(.remove) { () throws(FileError) in
                    try files.removeUnlessLocked(directory.temporary + "/" + name)
                }
            }
        }
    }

    /// Deletes discarded files. Returns once they are deleted.
    func deleteDiscarded() {
        reporting(.remove) { () throws(FileError) in
            // If this is a link, its target must not be deleted.
            guard try files.look(at: directory.discarded)?.kind == .directory else { return }
            for name in try files.names(directory.discarded) {
                reporting(.remove) { () throws(FileError) in try files.removeTree(directory.discarded + "/" + name) }
            }
        }
    }

    // MARK: The device

    /// Notes that directories contain new names. These survive a power failure only once the directories have been
    /// synchronized.
    func noteNames(in directories: [String]) {
        guard synchronization != .never, !directories.isEmpty else { return }
        newNames.withLock { $0.formUnion(directories) }
    }

    /// Whether directories have new names that may not be on the device.
    var hasNewNames: Bool { newNames.withLock { !$0.isEmpty } }

    /// Waits until entries and their names are on the device. Returns the entries for which that failed, and reports
    /// only one of the failures.
    func synchronize(_ names: Set<EntryName>) -> Set<EntryName> {
        var failed: Set<EntryName> = []
        var failure: FileError?
        for name in names {
            do throws(FileError) {
                // The directory is synchronized after all of them, which empties the device's cache once.
                try files.order(path(of: name))
            } catch {
                // The entry may have been removed since.
                guard !error.isNotFound, !error.isNoFile else { continue }
                failed.insert(name)
                failure = failure ?? error
            }
        }
        if !names.isEmpty { noteNames(in: [directory.entries]) }
        do throws(FileError) {
            try synchronizeNames()
        } catch {
            failure = failure ?? error
        }
        if let failure { onFailure(CacheFailure(.write, failure)) }
        return failed
    }

    /// Synchronizes directories with new names. Directories for which that fails are tried again next time.
    func synchronizeNames() throws(FileError) {
        let directories = newNames.withLock { exchange(&$0, with: []) }
        var failure: FileError?
        for path in directories.sorted() {
            do throws(FileError) {
                try files.synchronizeDirectory(path)
            } catch {
                failure = failure ?? error
                // A directory without read permission can never be synchronized, and a deleted one need not be.
                if error.code != EACCES, !error.isNotFound { noteNames(in: [path]) }
            }
        }
        if let failure, !failure.isNotFound { throw failure }
    }
}
