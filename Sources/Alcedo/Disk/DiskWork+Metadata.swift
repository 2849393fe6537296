import Foundation

// Changes to a store's files that don't affect the bodies.

extension DiskWork {
    // MARK: Metadata

    /// Appends new metadata to an entry's file. If that fails, the entry stays as it was, unless the file isn't a valid
    /// entry.
    ///
    /// - Parameter version: The version of the response that the entry must have; nil for any.
    func update(
        _ key: StoredKey, _ metadata: Data, _ expires: Int64?, _ version: UInt64?, _ plan: DiskIndex.Plan,
        _ changes: inout IndexFile.Changes
    ) -> WriteOutcome {
        var outcome = WriteOutcome()
        do throws(FileError) {
            outcome.bytes = try index.locked(&changes) { (changes) throws(FileError) in
                try append(metadata, expires, version, key, plan, &changes)
            }
            if outcome.bytes != nil { return outcome }
        } catch {
            outcome.failure = error
        }
        outcome.keptBytes = keptBytes(plan.mayRemain)
        outcome.leftovers = remove(plan.victims + (outcome.keptBytes == nil ? [plan.mayRemain] : []), &changes)
        return outcome
    }

    /// The size of an entry's file on disk, or an upper bound; nil if the file isn't a valid entry.
    private func keptBytes(_ item: DiskIndex.Item) -> Int? {
        switch readTail(item.name) {
        case .success:
            do throws(FileError) {
                return try files.status(path(of: item.name)).allocated
            } catch {
                return item.bytes
            }
        // A file that can't be read now may be intact: look-ups will find out.
        case .failure(.file(let error)): return error.isNotFound ? nil : item.bytes
        case .failure: return nil
        }
    }

    private func append(
        _ metadata: Data, _ expires: Int64?, _ version: UInt64?, _ key: StoredKey, _ plan: DiskIndex.Plan,
        _ changes: inout IndexFile.Changes
    ) throws(FileError) -> Int? {
        let found = readTail(key.name)
        if case .failure(.file(let error)) = found { throw error }
        guard case .success(let (last, file)) = found, last.holds(key),
            version == nil || EntryMetadata(last.metadata)?.response?.version == version,
            let tail = EntryFile.tail(
                after: last, inFileOf: file.length, key: key, metadata: metadata, expires: expires)
        else { return nil }
        let path = path(of: key.name)
        var records: [IndexRecord] = []
        for victim in plan.victims {
            try removeFile(victim.name)
            records.append(.removed(victim.name))
        }
        // Until the new tail is written, the old one is in force. The file may be from another store, and larger than
        // known.
        let most = max(Int(plan.entry.units) * DiskEntries.unit, file.allocated + Self.allocated(tail.count))
        try index.add(records + [.entry(key.name, plan.entry.taking(most).unread)], &changes)
        var bytes: Int?
        if file.length - last.bodyLength <= Self.mostTails {
            bytes = try files.append(tail, to: path, synchronizes: synchronizesWrites).allocated
        } else {
            bytes = try rewrite(key, metadata, expires, at: path)
        }
        // The actual size, at most the reserved one, is known only now.
        if let bytes { try index.add([.entry(key.name, plan.entry.taking(bytes))], &changes) }
        return bytes
    }

    /// The number of bytes after a body above which the file is rewritten instead of appended to.
    private static let mostTails = 64 << 10

    private func rewrite(
        _ key: StoredKey, _ metadata: Data, _ expires: Int64?, at path: String
    ) throws(FileError) -> Int? {
        let file = try files.read(path, byteLimit: .max)
        guard
            case .success(let contents) = Result(catching: { () throws(EntryFile.Defect) in
                try EntryFile.contents(of: file, key: key)
            }), let tail = EntryFile.tail(of: contents.body, key: key, metadata: metadata, expires: expires)
        else { return nil }
        var bytes: Int?
        let temporary = directory.freshTemporary()
        _ = try files.publish([contents.body, tail], by: temporary, synchronizes: synchronizesWrites) {
            (file) throws(FileError) in
            bytes = file.status.allocated
            try files.rename(file.path, to: path)
            return true
        }
        if synchronizesWrites { try files.synchronize(directory.entries) }
        return bytes
    }

    // MARK: The index file

    /// Something learned about an entry that is in the index.
    struct Learned: Sendable {
        let name: EntryName
        let entry: IndexedEntry
        /// The file that was examined; nil if any file of the entry's size is meant.
        var file: FileStatus?

        func concerns(_ found: FileStatus) -> Bool {
            guard let file else { return entry == entry.taking(found.allocated) }
            return file.identity == found.identity && file.length == found.length
        }
    }

    /// Records when entries were used.
    func tell(uses: [IndexRecord], _ changes: inout IndexFile.Changes) throws(FileError) {
        warm.reopen()
        try index.locked(&changes) { _ throws(FileError) in try index.append(uses) }
    }

    /// Records what was learned about entries, unless another store has replaced or removed their files since.
    func tell(_ learned: [Learned], _ changes: inout IndexFile.Changes) throws(FileError) {
        try index.locked(&changes) { (changes) throws(FileError) in
            var records: [IndexRecord] = []
            for learned in learned {
                guard let file = try files.look(at: path(of: learned.name)),
                    !index.hasNeighbors || learned.concerns(file)
                else { continue }
                records.append(.entry(learned.name, learned.entry.taking(file.allocated)))
            }
            try index.append(records)
            changes.noteFound(records, at: index.now)
        }
    }

    /// Writes a new snapshot of the index.
    func compact(_ changes: inout IndexFile.Changes) throws(FileError) {
        try index.locked(&changes) { (changes) throws(FileError) in try index.compact(&changes) }
    }
}
