extension DiskIndex {
    /// Applies a change to an entry that was made elsewhere: before this store existed, or by another store.
    package mutating func apply(_ record: IndexRecord, at now: UInt32) {
        noticeTime(now)
        switch record {
        case .entry(let name, let entry):
            guard outstanding[name] == nil else { return }
            if let place = entries.place(of: name) { remove(at: place) }
            var entry = entry
            hasCorrections = hasCorrections || entry.lastUse > now
            entry.lastUse = min(entry.lastUse, now)
            add(name, entry, state: entry.isLeftover ? .isLeftover : entry.isUnread ? .isUnread : [])
        case .removed(let name):
            if outstanding[name] == nil, let place = entries.place(of: name) { remove(at: place) }
        case .used(let name, let time):
            if let place = entries.place(of: name) {
                hasCorrections = hasCorrections || time > now
                entries.use(at: place, now: max(entries[place].lastUse, min(time, now)))
            }
        }
    }

    /// Moves outstanding writes of this store to the end of the order after applying others' changes, because they are
    /// the most recent.
    package mutating func putOutstandingLast() {
        let places = outstanding.keys.compactMap { entries.place(of: $0) }
        for place in places.sorted(by: { entries[$0].version < entries[$1].version }) {
            entries.use(at: place, now: entries[place].lastUse)
        }
    }

    /// Called when the directory has been read. Returns what to remove to stay within the limits.
    ///
    /// - Parameters:
    ///   - found: The directory's files, when the records alone can't be trusted.
    ///   - order: The order that read it.
    package mutating func complete(with found: [Found]?, by order: UInt64, at now: UInt32) -> [Item] {
        guard !isOutdated(order) else { return [] }
        noticeTime(now)
        if let found { reconcile(with: found, at: now) }
        isComplete = true
        return keepLimits()
    }

    /// Replaces this index with what an order has read, except for decisions made here since then. Returns what to
    /// remove to stay within the limits.
    package mutating func adopt(_ read: DiskIndex, by order: UInt64) -> [Item] {
        guard !isOutdated(order) else { return [] }
        let own = entries.order.map { (entries[$0], described(entries[$0])) }.filter { outstanding[$0.0.name] != nil }
        (entries, tags, totalBytes, unreadCount) = (read.entries, read.tags, read.totalBytes, read.unreadCount)
        nextExpiry = min(nextExpiry, read.nextExpiry)
        latest = max(latest, read.latest)
        hasCorrections = hasCorrections || read.hasCorrections
        // The versions in the new index were counted separately and may have been used for other files here.
        for place in entries.all.indices {
            lastVersion &+= 1
            entries[place].version = lastVersion
        }
        for name in outstanding.keys {
            if let place = entries.place(of: name) { remove(at: place) }
        }
        for (entry, described) in own { add(entry.name, described, state: entry.state, version: entry.version) }
        isComplete = true
        return keepLimits()
    }

    private mutating func reconcile(with found: [Found], at now: UInt32) {
        var isThere = [Bool](repeating: false, count: entries.count)
        var strangers: [DiskEntries.Entry] = []
        for file in found where outstanding[file.name] == nil {
            let units = Self.units(max(0, file.bytes)) ?? .max
            if let place = entries.place(of: file.name) {
                isThere[place] = true
                if entries[place].units != units { resize(place, toUnits: units) }
            } else {
                lastVersion &+= 1
                strangers.append(
                    DiskEntries.Entry(
                        name: file.name, units: units, lastUse: min(file.modified, now), expires: 0, tags: TagSets.none,
                        version: lastVersion, state: .isUnread))
            }
        }
        // In reverse, so that no entry is moved to an index that is still to be visited.
        for place in isThere.indices.reversed() where !isThere[place] && outstanding[entries[place].name] == nil {
            remove(at: place)
        }
        let order = entries.order
        if strangers.isEmpty, zip(order, order.dropFirst()).allSatisfy({ entries[$0].lastUse <= entries[$1].lastUse }) {
            return
        }
        // At equal times, unknown entries go before known ones. Sorting numbers is many times faster than sorting
        // entries.
        let all = strangers + order.map { entries[$0] }
        let ranks = all.indices.map { UInt64(all[$0].lastUse) << 32 | UInt64($0) }.sorted()
        replace(with: ranks.map { all[Int(UInt32(truncatingIfNeeded: $0))] })
    }

    /// - Parameter all: Entries that are in the index or have no tags, least recently used first.
    private mutating func replace(with all: [DiskEntries.Entry]) {
        let old = tags
        entries = DiskEntries(count: all.count)
        tags = TagSets()
        totalBytes = 0
        unreadCount = 0
        for var entry in all {
            // The sizes can be anything that was written to the directory.
            guard entry.bytes <= .max - totalBytes, entries.place(of: entry.name) == nil else { continue }
            totalBytes += entry.bytes
            if entry.state.contains(.isUnread) { unreadCount += 1 }
            entry.tags = tags.add(old[entry.tags])
            entries.add(entry)
        }
    }
}
