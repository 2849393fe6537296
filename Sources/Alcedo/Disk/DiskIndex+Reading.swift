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

    /// Moves this store's writes to the end of the order, because they are more recent than the applied changes of
    /// other stores.
    ///
    /// - Parameter settled: The names written by the order that read those changes. Outstanding names are included
    ///   anyway.
    package mutating func putOwnLast(settled: [EntryName] = []) {
        let places = (settled + outstanding.keys).compactMap { entries.place(of: $0) }
        for place in places.sorted(by: { entries[$0].version < entries[$1].version }) {
            entries.use(at: place, now: entries[place].lastUse)
        }
    }

    /// Called when the directory has been read. Returns the entries to remove to stay within the limits.
    ///
    /// - Parameters:
    ///   - found: The directory's files, if the records alone can't be trusted.
    ///   - order: The order that read the directory.
    package mutating func complete(with found: [Found]?, by order: UInt64, at now: UInt32) -> [Item] {
        guard !isOutdated(order) else { return [] }
        noticeTime(now)
        if let found { _ = reconcile(with: found, at: now) }
        isComplete = true
        return keepLimits()
    }

    /// Replaces this index with one that an order has read, but keeps decisions made here since then. The time it takes
    /// doesn't depend on the number of entries.
    ///
    /// - Parameter read: The index that was read. On return, it contains the previous entries of this index.
    /// - Returns: At most `most` entries to remove to stay within the limits.
    package mutating func adopt(_ read: inout DiskIndex, by order: UInt64, most: Int = .max) -> [Item] {
        guard !isOutdated(order) else { return [] }
        let own = outstandingEntries.map { ($0, described($0)) }
        swap(&entries, &read.entries)
        swap(&tags, &read.tags)
        swap(&totalBytes, &read.totalBytes)
        swap(&unreadCount, &read.unreadCount)
        nextExpiry = min(nextExpiry, read.nextExpiry)
        latest = max(latest, read.latest)
        hasCorrections = hasCorrections || read.hasCorrections
        for name in outstanding.keys {
            if let place = entries.place(of: name) { remove(at: place) }
        }
        for (entry, described) in own { add(entry.name, described, state: entry.state, version: entry.version) }
        isComplete = true
        return keepLimits(most: most)
    }

    /// The entries with a decision that may not have reached the disk yet, least recently used first. They are usually
    /// the most recently used entries of all.
    private var outstandingEntries: [DiskEntries.Entry] {
        var rest = outstanding.keys.count { entries.place(of: $0) != nil }
        var found: [DiskEntries.Entry] = []
        var place = entries.newest
        while rest > 0, place != DiskEntries.nowhere {
            let entry = entries[Int(place)]
            place = entry.older
            guard outstanding[entry.name] != nil else { continue }
            found.append(entry)
            rest -= 1
        }
        return found.reversed()
    }

    /// Makes the entries match the directory's files. Returns whether the files or their sizes differ from what was
    /// known before.
    mutating func reconcile(with found: [Found], at now: UInt32) -> Bool {
        var isOther = false
        var isThere = [Bool](repeating: false, count: entries.count)
        var strangers: [DiskEntries.Entry] = []
        for file in found where outstanding[file.name] == nil {
            let units = Self.units(max(0, file.bytes)) ?? .max
            if let place = entries.place(of: file.name) {
                isThere[place] = true
                guard entries[place].units != units else { continue }
                resize(place, toUnits: units)
                isOther = true
            } else {
                strangers.append(
                    DiskEntries.Entry(
                        name: file.name, units: units, lastUse: min(file.modified, now), expires: 0, tags: TagSets.none,
                        version: nextVersion(), state: .isUnread))
            }
        }
        // In reverse, so that no entry is moved to an index that is still to be visited.
        for place in isThere.indices.reversed() where !isThere[place] && outstanding[entries[place].name] == nil {
            remove(at: place)
            isOther = true
        }
        let order = entries.order
        if strangers.isEmpty, zip(order, order.dropFirst()).allSatisfy({ entries[$0].lastUse <= entries[$1].lastUse }) {
            return isOther
        }
        // If entries were last used at the same time, unknown ones come before known ones. Sorting numbers is many
        // times faster than sorting entries.
        let all = strangers + order.map { entries[$0] }
        let ranks = all.indices.map { UInt64(all[$0].lastUse) << 32 | UInt64($0) }.sorted()
        replace(with: ranks.map { all[Int(UInt32(truncatingIfNeeded: $0))] })
        return isOther || !strangers.isEmpty
    }

    /// - Parameter all: Entries that are in the index or have no tags, least recently used first.
    private mutating func replace(with all: [DiskEntries.Entry]) {
        let old = tags
        entries = DiskEntries(count: all.count)
        tags = TagSets()
        totalBytes = 0
        unreadCount = 0
        for var entry in all {
            // The sizes can be anything that was found in the directory.
            guard entry.bytes <= .max - totalBytes, entries.place(of: entry.name) == nil else { continue }
            totalBytes += entry.bytes
            if entry.state.contains(.isUnread) { unreadCount += 1 }
            entry.tags = tags.add(old[entry.tags])
            entries.add(entry)
        }
    }
}
