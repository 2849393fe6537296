import Foundation
import Synchronization

// Reading the index file, and writing it. All of this happens while the lock is held.

extension IndexFile {
    // MARK: Reading

    /// Adds what was appended to the file since it was last read, or everything in it.
    ///
    /// - Parameter entriesAreElsewhere: Whether the directory of the entries has been replaced by another one.
    func takeIn(_ changes: inout Changes, entriesAreElsewhere: Bool) throws(FileError) {
        guard let file = state.withLock({ $0.file }) else { return try readAnew(&changes) }
        let offset = state.withLock { $0.offset }
        if let status = try files.look(at: directory.index), status.identity == file.identity {
            if entriesAreElsewhere {
                state.withLock { $0.offset = status.length }
                return try recount(&changes, areExternal: true)
            }
            if status.length == offset { return }
            // Applying more records would occupy the store for longer than adopting an index that is made here.
            if status.length > offset, status.length - offset <= Self.mostAppended {
                var records: [IndexRecord] = []
                let whole = try readRecords(file.descriptor, from: offset, to: status.length) { records.append($0) }
                if whole == status.length {
                    changes.add(records, at: now)
                    return state.withLock { ($0.offset, $0.hasNeighbors) = (whole, true) }
                }
                // Otherwise, another store was killed while writing the last record.
            }
        }
        // The file is read anew. Usually, another store has replaced it, or the directory has been replaced.
        forgetFile()
        state.withLock { $0.hasNeighbors = true }
        try readAnew(&changes, areExternal: true, before: file.identity)
    }

    /// The maximum length of an appended part that is read by itself, in bytes: about 1,900 records.
    private static var mostAppended: Int { 64 << 10 }

    func forgetFile() {
        if let file = state.withLock({ $0.file.take() }) { files.close(file.descriptor, directory.index) }
    }

    /// - Parameter before: The file that was read before.
    private func readAnew(
        _ changes: inout Changes, areExternal: Bool = false, before: FileStatus.Identity? = nil
    ) throws(FileError) {
        let (file, status) = try open(directory.index)
        let snapshot = file.identity == before ? state.withLock { $0.snapshot } : status.length
        adopt(file, offset: status.length, snapshot: snapshot)
        try forgettingFileOnFailure { () throws(FileError) in
            let read = try readAll(file.descriptor)
            guard read.isComplete else { return try count(read, &changes, areExternal) }
            hand(over: read.all, to: &changes, areExternal)
        }
    }

    /// Counts the files of the entries, because the records may not match them.
    func recount(_ changes: inout Changes, areExternal: Bool = false) throws(FileError) {
        guard let file = state.withLock({ $0.file }) else { return }
        try forgettingFileOnFailure { () throws(FileError) in
            try count(try readAll(file.descriptor), &changes, areExternal)
        }
    }

    /// Runs `body`. If it fails, closes the file: it may be incomplete, and must be read anew next time.
    private func forgettingFileOnFailure(_ body: () throws(FileError) -> Void) throws(FileError) {
        do throws(FileError) {
            try body()
        } catch {
            forgetFile()
            throw error
        }
    }

    /// Writes a new index file unless the one that was read lists exactly the existing files. If it can't be written,
    /// an empty one shows all stores that the index is incomplete.
    private func count(
        _ read: (all: DiskIndex, isComplete: Bool), _ changes: inout Changes, _ areExternal: Bool
    ) throws(FileError) {
        var all = read.all
        if all.reconcile(with: try list(), at: now) || !read.isComplete { try replace(with: &all) }
        hand(over: all, to: &changes, areExternal)
    }

    private func replace(with all: inout DiskIndex) throws(FileError) {
        do throws(FileError) {
            try start(with: all)
            all.hasCorrections = false
        } catch {
            onFailure(CacheFailure(.write, error))
            try startEmpty()
        }
    }

    private func hand(over all: DiskIndex, to changes: inout Changes, _ areExternal: Bool) {
        state.withLock { $0.lastVersion = all.lastVersion }
        changes.replace(with: all, areExternal: areExternal)
    }

    /// An index of everything in the file, and whether the file lists all entries. Nothing after the first incomplete
    /// record is read.
    private func readAll(_ file: Int32) throws(FileError) -> (all: DiskIndex, isComplete: Bool) {
        let (length, lastVersion) = state.withLock { ($0.offset, $0.lastVersion) }
        var all = DiskIndex(limits: DiskIndex.Limits(bytes: .max), lastVersion: lastVersion)
        let now = now
        var isComplete = false
        if let began = try readHeader(file, of: length) {
            let whole = try readRecords(file, from: IndexLog.headerLength, to: length) { all.apply($0, at: now) }
            // It is unknown how much of a file written before a reboot has reached the device.
            isComplete = whole == length && began == run.identity() && began != 0
        }
        _ = all.complete(with: nil, by: 0, at: now)
        return (all, isComplete)
    }

    /// The boot during which a file was started. Nil if it isn't an index file, in which case no more of it is read.
    private func readHeader(_ file: Int32, of length: Int) throws(FileError) -> UInt64? {
        guard length >= IndexLog.headerLength, length <= byteLimit else { return nil }
        return IndexLog.run(of: try files.read(file, from: 0, to: IndexLog.headerLength, directory.index))
    }

    /// Reads records in chunks, up to the first incomplete one. Nothing after it is read.
    ///
    /// - Returns: The offset in the file at which the records end.
    private func readRecords(
        _ file: Int32, from start: Int, to end: Int, _ body: (IndexRecord) -> Void
    ) throws(FileError) -> Int {
        var offset = start
        while offset < end {
            let part = min(end - offset, Self.partLength)
            let bytes = try files.read(file, from: offset, to: offset + part, directory.index)
            let whole = IndexLog.read(bytes, body)
            offset += whole
            // Any chunk but the last may end within a record. Records have a maximum length.
            if bytes.count < part || part < Self.partLength || part - whole >= IndexLog.mostRecordLength { break }
        }
        return offset
    }

    private static var partLength: Int { 1 << 20 }

    /// Lists the files of the entries.
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

    // MARK: Writing

    /// Appends records of this store's changes. If it throws, none of them was added.
    func add(_ records: [IndexRecord], _ changes: inout Changes) throws(FileError) {
        try append(records)
        changes.noteOwn(records, at: now)
    }

    /// Appends records of what this store has learned about entries, without having changed them.
    func append(_ records: [IndexRecord]) throws(FileError) {
        guard !records.isEmpty, let file = state.withLock({ $0.file })?.descriptor else { return }
        let bytes = IndexLog.bytes(of: records)
        let offset = state.withLock { $0.offset }
        do throws(FileError) {
            try files.write([bytes], to: file, directory.index)
            state.withLock { $0.offset = offset + bytes.count }
        } catch {
            do throws(FileError) {
                try files.truncate(file, to: offset, directory.index)
            } catch {
                // Anything after a partial record would be lost. The next reader counts the files instead.
                forgetFile()
            }
            throw error
        }
    }

    /// Replaces this file with one that begins with a snapshot of everything in it.
    func compact(_ changes: inout Changes) throws(FileError) {
        guard let file = state.withLock({ $0.file }) else { return }
        let (all, isComplete) = try readAll(file.descriptor)
        if isComplete { try start(with: all) } else { try recount(&changes) }
    }

    /// Replaces this file with one without entries.
    func empty() throws(FileError) {
        _ = try checkEntries()
        try start(with: DiskIndex(limits: DiskIndex.Limits(bytes: .max)))
    }

    private func start(with all: DiskIndex) throws(FileError) {
        let snapshot = IndexLog.header(run: run.identity()) + IndexLog.bytes(of: all.records)
        let temporary = directory.freshTemporary()
        try files.createOwnDirectory(directory.temporary)
        _ = try files.publish([snapshot], by: temporary, synchronizes: false) { (file) throws(FileError) in
            try files.rename(file.path, to: directory.index)
            return true
        }
        try adoptNewFile(offset: snapshot.count)
    }

    /// Replaces this file with an empty one. Other stores notice that the file is a different one, and read it anew.
    private func startEmpty() throws(FileError) {
        try files.remove(directory.index)
        try adoptNewFile(offset: 0)
    }

    private func adoptNewFile(offset: Int) throws(FileError) {
        let (file, _) = try open(directory.index)
        forgetFile()
        adopt(file, offset: offset, snapshot: offset)
    }

    /// Continues with another open file, which begins with a snapshot of `snapshot` bytes.
    private func adopt(_ file: OpenFile, offset: Int, snapshot: Int) {
        state.withLock { ($0.file, $0.offset, $0.snapshot) = (file, offset, snapshot) }
    }
}
