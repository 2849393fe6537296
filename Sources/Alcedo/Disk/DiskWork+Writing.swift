import Foundation

// Writing bodies. All waiting bodies are written together: the lock is taken once, the index file is appended to once
// before and once after the renames, and the directory is synchronized once.

extension DiskWork {
    /// A body to be written to the disk.
    struct Writing: Sendable {
        let item: StagedWrite
        let pending: Handover<Body>
        let metadata: Data
        let expires: Int64?
        let plan: DiskIndex.Plan
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
        /// Files that should have been removed but weren't.
        var leftovers: [DiskIndex.Item] = []
    }

    /// The state of one write of a batch.
    private struct Draft {
        let writing: Writing
        /// The body; nil if it is no longer wanted or can't be stored.
        private(set) var body: Body?
        private(set) var tail = Data()
        var file: FileSystem.NewFile?
        var isRenamed = false
        /// Whether another file had the entry's name.
        var replaces = false
        var outcome = WriteOutcome()

        var plan: DiskIndex.Plan { writing.plan }

        init(_ writing: Writing) {
            self.writing = writing
            guard let body = writing.pending.take() else { return }
            do throws(FileError) {
                guard
                    let tail = try EntryFile.tail(
                        of: body, key: writing.item.key, metadata: writing.metadata, expires: writing.expires)
                else { return }
                (self.body, self.tail) = (body, tail)
            } catch {
                outcome.failure = error
            }
        }

        /// Whether the file can be renamed to the entry's name.
        var isReady: Bool { file != nil && outcome.needed == nil && outcome.failure == nil }

        mutating func startOver() {
            // A body that couldn't be read isn't tried again.
            let failure = body == nil ? outcome.failure : nil
            (file, isRenamed, outcome) = (nil, false, WriteOutcome(failure: failure))
        }

        /// Puts the body back for another attempt.
        func putBack() { if let body { writing.pending.putBack(body) } }
    }

    /// Writes the bodies that are still wanted, making room for them first.
    func write(_ batch: [Writing], _ changes: inout IndexFile.Changes) -> [WriteOutcome] {
        var outcomes: [WriteOutcome] = []
        var group: [Writing] = []
        var names: Set<EntryName> = []
        for writing in batch {
            let touched = writing.plan.victims.map(\.name) + [writing.plan.mayRemain.name]
            // An entry written here must have its name before it is replaced or evicted.
            if !names.isDisjoint(with: touched) {
                outcomes += write(together: group, &changes)
                (group, names) = ([], [])
            }
            group.append(writing)
            names.formUnion(touched)
        }
        return outcomes + write(together: group, &changes)
    }

    private func write(together group: [Writing], _ changes: inout IndexFile.Changes) -> [WriteOutcome] {
        var drafts = group.map { Draft($0) }
        do throws(FileError) {
            guard try makingDirectories({ () throws(FileError) in try publish(&drafts, &changes) }) else {
                for draft in drafts { draft.putBack() }
                return group.flatMap { write(together: [$0], &changes) }
            }
            if synchronizesWrites, drafts.contains(where: \.isRenamed) {
                try files.synchronize(directory.entries)
                reporting(.write) { () throws(FileError) in try synchronizeNames() }
            }
            for place in drafts.indices where drafts[place].isRenamed {
                drafts[place].outcome.bytes = drafts[place].file?.status.allocated
            }
        } catch {
            for place in drafts.indices where drafts[place].body != nil && drafts[place].outcome.failure == nil {
                drafts[place].outcome.failure = error
            }
        }
        for place in drafts.indices where drafts[place].outcome.bytes == nil { giveUp(&drafts[place], &changes) }
        return drafts.map(\.outcome)
    }

    /// Removes the files that an unfinished write would have replaced: neither an earlier file of that name nor the
    /// entries evicted to make room are counted any longer.
    private func giveUp(_ draft: inout Draft, _ changes: inout IndexFile.Changes) {
        if let code = draft.outcome.failure?.code, code == ENOSPC || code == EDQUOT {
            // The volume is full, so none of the space that should be left free is free.
            draft.outcome.missing = max(minimumFreeBytes, Int(draft.plan.entry.units) * DiskEntries.unit)
        }
        if draft.outcome.failure == nil || draft.outcome.missing != nil { draft.putBack() }
        draft.outcome.leftovers = remove(draft.plan.victims + [draft.plan.mayRemain], &changes)
    }

    /// Writes temporary files and renames them, so that a partial entry is never visible.
    ///
    /// - Returns: False if there isn't enough space for all of them together; in that case, none was renamed.
    private func publish(
        _ drafts: inout [Draft], _ changes: inout IndexFile.Changes
    ) throws(FileError) -> Bool {
        // The files of an earlier attempt have already been ended.
        for place in drafts.indices { drafts[place].startOver() }
        // If a link has been put in its place, the bytes would be written to the link's target.
        try makeDirectory(directory.temporary)
        defer { for place in drafts.indices { end(&drafts[place]) } }
        for place in drafts.indices where drafts[place].body != nil { try create(&drafts[place]) }
        if synchronizesWrites { for place in drafts.indices { synchronize(&drafts[place]) } }
        let ready = drafts.indices.filter { drafts[$0].isReady }
        guard let first = ready.first else { return true }
        if let missing = try missingBytes(ready.flatMap { drafts[$0].plan.victims }) {
            if drafts.count == 1 { drafts[first].outcome.missing = missing }
            return drafts.count == 1
        }
        try index.locked(&changes) { (changes) throws(FileError) in try rename(ready, of: &drafts, &changes) }
        return true
    }

    private func end(_ draft: inout Draft) {
        guard let file = draft.file, let error = files.end(file, isRenamed: draft.isRenamed) else { return }
        if let failure = draft.outcome.failure {
            draft.outcome.failure = failure.adding(error)
        } else {
            onFailure(CacheFailure(.remove, error))
        }
    }

    private func create(_ draft: inout Draft) throws(FileError) {
        do throws(FileError) {
            guard let body = draft.body else { return }
            let file = try files.create(body, draft.tail, at: directory.freshTemporary())
            draft.file = file
            let (bytes, room) = (file.status.allocated, Int(draft.plan.entry.units) * DiskEntries.unit)
            if bytes > room { draft.outcome.needed = bytes }
        } catch {
            if error.isNotFound { throw error }
            draft.outcome.failure = error
        }
    }

    /// Called when all files have been written, because the device can then handle several together.
    private func synchronize(_ draft: inout Draft) {
        guard draft.isReady, let file = draft.file else { return }
        do throws(FileError) {
            try files.synchronize(file)
        } catch {
            draft.outcome.failure = error
        }
    }

    private func rename(
        _ ready: [Int], of drafts: inout [Draft], _ changes: inout IndexFile.Changes
    ) throws(FileError) {
        var records: [IndexRecord] = []
        for place in ready {
            let plan = drafts[place].plan
            do throws(FileError) {
                for victim in plan.victims {
                    try removeFile(victim.name)
                    records.append(.removed(victim.name))
                }
                // Until the rename, a larger file with other tags may have this name.
                let there = try sizeOfOther(plan.mayRemain.name)
                let before = plan.entry.taking(max(plan.mayRemain.bytes, there))
                drafts[place].replaces = plan.replaces || there > 0
                records.append(.entry(plan.mayRemain.name, drafts[place].replaces ? before.unread : before))
            } catch {
                drafts[place].outcome.failure = error
            }
        }
        try index.add(records, &changes)
        records = []
        for place in ready {
            guard drafts[place].isReady, let file = drafts[place].file else { continue }
            let plan = drafts[place].plan
            do throws(FileError) {
                try rename(file.path, to: path(of: plan.mayRemain.name))
                drafts[place].isRenamed = true
            } catch {
                if error.isNotFound { throw error }
                drafts[place].outcome.failure = error
                continue
            }
            let bytes = file.status.allocated
            if drafts[place].replaces || bytes != plan.mayRemain.bytes {
                records.append(.entry(plan.mayRemain.name, plan.entry.taking(bytes)))
            }
        }
        try index.add(records, &changes)
    }

    /// The size of the file that already has an entry's name, because another store has written it; 0 if there is none
    /// or there are no other stores.
    private func sizeOfOther(_ name: EntryName) throws(FileError) -> Int {
        guard index.hasNeighbors else { return 0 }
        return try files.look(at: path(of: name))?.allocated ?? 0
    }

    private func rename(_ temporary: String, to path: String) throws(FileError) {
        do throws(FileError) {
            try files.rename(temporary, to: path)
        } catch {
            guard error.code == EISDIR else { throw error }
            try moveAway(path)
            try files.rename(temporary, to: path)
        }
    }

    /// The number of bytes to remove in addition to the victims before enough space is free; nil if there is enough.
    private func missingBytes(_ victims: [DiskIndex.Item]) throws(FileError) -> Int? {
        guard minimumFreeBytes > 0 else { return nil }
        let free = try files.freeBytes(at: directory.path)
        let missing = minimumFreeBytes - free - victims.reduce(0) { $0 + $1.bytes }
        return missing > 0 ? missing : nil
    }

    /// The reason why `name` wasn't written; nil if it was superseded.
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
}
