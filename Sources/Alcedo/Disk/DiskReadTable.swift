/// The reads of a store that run, and some that have ended, by their entries: look-ups of one key share a read.
struct DiskReadTable {
    private var reads: [EntryName: DiskRead] = [:]
    /// With more reads than this, the ended ones are dropped.
    private var limit = 64

    subscript(name: EntryName) -> DiskRead? { reads[name] }

    /// The read of `key`, and whether it is new and has to be started.
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

    /// Look-ups from now on don't share the read of an entry.
    mutating func remove(_ name: EntryName) { reads[name] = nil }

    /// Removes a read if it is the present one of its entry; whether it was.
    mutating func remove(_ read: DiskRead) -> Bool {
        guard reads[read.key.name] === read else { return false }
        reads[read.key.name] = nil
        return true
    }

    /// Reads of that source bring nothing any more.
    func retire(source: UInt64) {
        for read in reads.values where read.key.name.source == source { read.retire() }
    }

    /// No read brings anything any more.
    mutating func retireAll() {
        for read in reads.values { read.retire() }
        reads.removeAll()
    }
}
