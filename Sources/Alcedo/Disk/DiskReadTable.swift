/// A store's running reads, and some that have ended, by entry name, so that look-ups of one key share a read.
struct DiskReadTable {
    private var reads: [EntryName: DiskRead] = [:]
    /// When there are more reads than this, those that have ended are dropped.
    private var limit = 64

    subscript(name: EntryName) -> DiskRead? { reads[name] }

    /// Returns the read of `key`, and whether it is new and has to be started.
    mutating func join(_ key: DiskKey, _ presence: DiskIndex.Presence) -> (read: DiskRead, isNew: Bool) {
        if let running = reads[key.name], running.key == key, !running.isRetired, running.join() {
            return (running, false)
        }
        let read = DiskRead(key, presence)
        reads[key.name] = read
        if reads.count > limit {
            reads = reads.filter { !$0.value.hasEnded }
            limit = max(64, 2 * reads.count)
        }
        return (read, true)
    }

    /// Prevents later look-ups from sharing the read of an entry.
    mutating func remove(_ name: EntryName) { reads[name] = nil }

    /// Removes a read if it is the current one of its entry. Returns whether it was.
    mutating func remove(_ read: DiskRead) -> Bool {
        guard reads[read.key.name] === read else { return false }
        reads[read.key.name] = nil
        return true
    }

    /// Retires the reads of a source: look-ups ignore what they return.
    func retire(source: UInt64) {
        for read in reads.values where read.key.name.source == source { read.retire() }
    }

    /// Retires all reads and removes them.
    mutating func retireAll() {
        for read in reads.values { read.retire() }
        reads.removeAll()
    }
}
