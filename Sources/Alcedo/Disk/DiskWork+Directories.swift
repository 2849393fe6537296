import Foundation
import Synchronization

// A store's directories: their making, what lies in them besides entries, and the device.

extension DiskWork {
    /// Makes the store's directory and those above it, where there are none.
    func makeRoot() throws(FileError) {
        let parents = try files.createDirectory(directory.path)
        noteNames(in: parents)
        if !parents.isEmpty { noteNames(in: [directory.path]) }
    }

    /// Makes one of the store's own directories, and removes what else lies there.
    func makeDirectory(_ path: String) throws(FileError) {
        noteNames(in: try files.createOwnDirectory(path))
    }

    /// Does `body`, and once more when the directory was deleted under our feet.
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

    func list() throws(FileError) -> [DiskIndex.Found] {
        var found: [DiskIndex.Found] = []
        do throws(FileError) {
            try files.list(directory.entries) { name, status in
                guard let name = EntryName(digits: name) else { return }
                found.append(
                    DiskIndex.Found(
                        name: name, bytes: status.allocated, modified: UInt32(clamping: status.modified)))
            }
        } catch {
            if !error.isNotFound { throw error }
        }
        return found
    }

    /// Removes what nobody writes any more.
    func removeTemporary() {
        reporting(.remove) { () throws(FileError) in
            for name in try files.names(directory.temporary) {
                reporting(.remove) { () throws(FileError) in
                    try files.removeUnlessLocked(directory.temporary + "/" + name)
                }
            }
        }
    }

    /// Deletes what was discarded; takes as long as that takes.
    func deleteDiscarded() {
        reporting(.remove) { () throws(FileError) in
            // What a link leads to is not what was discarded.
            guard try files.look(at: directory.discarded)?.kind == .directory else { return }
            for name in try files.names(directory.discarded) {
                reporting(.remove) { () throws(FileError) in try files.removeTree(directory.discarded + "/" + name) }
            }
        }
    }

    // MARK: The device

    /// New names in directories outlast a failure of the power once those are waited for.
    func noteNames(in directories: [String]) {
        guard synchronization != .never, !directories.isEmpty else { return }
        newNames.withLock { $0.formUnion(directories) }
    }

    /// Whether directories have got names that the device may not have.
    var hasNewNames: Bool { newNames.withLock { !$0.isEmpty } }

    /// Waits until entries and their names are on the device; those entries are returned for which that failed. One
    /// failure of all is reported.
    func synchronize(_ names: Set<EntryName>) -> Set<EntryName> {
        var failed: Set<EntryName> = []
        var failure: FileError?
        for name in names {
            do throws(FileError) {
                try files.synchronize(path(of: name))
            } catch {
                // It may have been removed meanwhile.
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

    /// Waits for directories with new names. Those for which that failed have their turn again.
    func synchronizeNames() throws(FileError) {
        let directories = newNames.withLock { newNames in
            defer { newNames = [] }
            return newNames
        }
        var failure: FileError?
        for path in directories.sorted() {
            do throws(FileError) {
                try files.synchronizeDirectory(path)
            } catch {
                failure = failure ?? error
                // One that may not be read can never be waited for, and one that is gone need not be.
                if error.code != EACCES, !error.isNotFound { noteNames(in: [path]) }
            }
        }
        if let failure, !failure.isNotFound { throw failure }
    }
}
