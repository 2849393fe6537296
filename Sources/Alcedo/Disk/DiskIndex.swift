/// Tracks which entries the disk holds, how large they are and which one is evicted first.
///
/// It only makes decisions and never touches a file.
///
/// The index is ahead of the disk: its state assumes that all writes and removals handed out have been carried out.
/// They are carried out in the order they were handed out, so the total on disk stays within the limits at every step.
/// Times are seconds since 1970.
package struct DiskIndex: Sendable {
    package private(set) var limits: Limits
    package internal(set) var totalBytes = 0
    /// Whether the index includes everything that was already in the directory.
    package internal(set) var isComplete = false
    /// The number of entries known only by their file names.
    package internal(set) var unreadCount = 0

    var entries = DiskEntries()
    var tags = TagSets()
    /// Names with a decision that may not have reached the disk yet, with the number of the order that carries it out.
    /// Information about these names from other stores or the directory is out of date.
    var outstanding: [EntryName: UInt64] = [:]
    /// The same names in the order of the decisions. A name may be repeated.
    private var decisions: [(name: EntryName, order: UInt64)] = []
    private var nextDecision = 0
    /// The number of the order that will carry out the next decisions.
    private var order: UInt64 = 1
    /// The order that last emptied the directory. Anything read before that is gone.
    private var emptied: UInt64 = 0
    /// Entries used since the uses were last taken.
    private var used: [EntryName] = []
    private(set) var lastVersion: Version
    /// No entry has an expiry before this time.
    var nextExpiry = UInt32.max
    /// The most recent time passed in. No entry was used after it.
    var latest: UInt32 = 0
    /// Whether last uses in the future were reset to the present. The index file doesn't contain these corrections yet.
    var hasCorrections = false

    /// - Parameter lastVersion: The last version used by an index of this kind. A store's own index uses even versions,
    ///   and indexes made from the index file use odd ones, so that either kind can take over entries of the other.
    package init(limits: Limits, lastVersion: Version = 0) {
        self.limits = limits
        self.lastVersion = lastVersion
    }

    /// The first odd version.
    package static var firstVersionApart: Version { 1 }

    mutating func nextVersion() -> Version {
        lastVersion &+= 2
        return lastVersion
    }

    package var count: Int { entries.count }

    package func presence(of name: EntryName, at now: UInt32) -> Presence {
        if let place = entries.place(of: name) {
            let entry = entries[place]
            return entry.state.contains(.isLeftover) || isExpired(entry, now) ? .absent : .present(entry.version)
        }
        return isComplete || outstanding[name] != nil ? .absent : .unknown
    }

    /// The size counted for a name; 0 if there is no such entry.
    package func item(of name: EntryName) -> Item {
        Item(name: name, bytes: entries.place(of: name).map { entries[$0].bytes } ?? 0)
    }

    package mutating func recordUse(of name: EntryName, at now: UInt32) {
        noticeTime(now)
        guard let place = entries.place(of: name) else { return }
        entries.use(at: place, now: now)
        guard !entries[place].state.contains(.isUsed) else { return }
        entries[place].state.insert(.isUsed)
        used.append(name)
    }

    /// The uses since the last call, one per entry.
    package mutating func takeUses() -> [IndexRecord] {
        defer { used.removeAll() }
        return used.compactMap { name in
            guard let place = entries.place(of: name), entries[place].state.contains(.isUsed) else { return nil }
            entries[place].state.remove(.isUsed)
            return .used(name, at: entries[place].lastUse)
        }
    }

    /// Whether times were corrected since the last call. Until the index file is rewritten, its readers would correct
    /// the times again, each time to a later one.
    package mutating func takeCorrections() -> Bool {
        defer { hasCorrections = false }
        return hasCorrections
    }

    // MARK: Writes

    /// Adds an entry about to be written. The index must be complete. Returns nil if the entry exceeds the limit; the
    /// file of `name` must then be removed. While the limits are exceeded because they were lowered, this makes room
    /// for the new entry only.
    package mutating func insert(
        _ name: EntryName, bytes: Int, expires: UInt32 = 0, tags hashes: [UInt64] = [], at now: UInt32
    ) -> Plan? {
        noticeTime(now)
        let old = item(of: name).bytes
        let most = (bytes: max(limits.bytes, totalBytes), count: max(limits.count, count))
        remove(name)
        guard hasRoom(for: bytes), let units = Self.units(bytes) else { return nil }
        let bytes = Int(units) * DiskEntries.unit
        let mayRemain = Item(name: name, bytes: max(bytes, old))
        let victims = evict { $0.totalBytes > most.bytes - bytes || $0.count >= most.count }
        let entry = IndexedEntry(units: units, lastUse: now, expires: expires, tags: hashes)
        add(name, entry)
        return Plan(version: lastVersion, victims: victims, mayRemain: mayRemain, replaces: old > 0, entry: entry)
    }

    /// Called when an entry was written. Its file takes `bytes` bytes, at most what was planned.
    package mutating func settle(_ name: EntryName, _ version: Version, bytes: Int) {
        guard let place = entries.place(of: name), entries[place].version == version else { return }
        resize(place, to: bytes)
    }

    /// Called when an entry's write failed and the previous file remains.
    ///
    /// - Parameter bytes: The size of the previous file, at most what was planned.
    /// - Returns: The record to write for the entry; nil if a newer entry has replaced it.
    package mutating func restore(
        _ name: EntryName, _ version: Version, as old: IndexedEntry, bytes: Int
    ) -> IndexedEntry? {
        guard let place = entries.place(of: name), entries[place].version == version else { return nil }
        resize(place, to: bytes)
        describe(place, expires: old.expires, tags: old.tags)
        if old.isUnread {
            entries[place].state.insert(.isUnread)
            unreadCount += 1
        }
        return described(entries[place])
    }

    /// Whether an entry of this size can be added at all.
    package func hasRoom(for bytes: Int) -> Bool {
        guard let units = Self.units(bytes), limits.count > 0 else { return false }
        return Int(units) * DiskEntries.unit <= limits.bytes
    }

    /// Records the contents of an unread entry's file.
    package mutating func learn(_ name: EntryName, _ version: Version, expires: UInt32, tags hashes: [UInt64]) {
        guard let place = entries.place(of: name), entries[place].version == version else { return }
        describe(place, expires: expires, tags: hashes)
    }

    /// Removes an entry whose file the next order will remove. Returns whether there was such an entry.
    @discardableResult
    package mutating func remove(_ name: EntryName) -> Bool {
        decide(name)
        guard let place = entries.place(of: name) else { return false }
        remove(at: place)
        return true
    }

    /// Removes an entry whose file doesn't exist, unless a newer entry has replaced it. No order is needed, so other
    /// stores' records of the name count from now on.
    ///
    /// - Returns: Whether there was such an entry.
    @discardableResult
    package mutating func forget(_ name: EntryName, version: Version) -> Bool {
        guard let place = entries.place(of: name), entries[place].version == version else { return false }
        remove(at: place)
        return true
    }

    /// Counts a file that should be gone but could not be removed. Eviction will try again. The index file lists it as
    /// an entry until the next order.
    package mutating func keepLeftover(_ item: Item, at now: UInt32) {
        // A file larger than the limit would only evict all other entries.
        noticeTime(now)
        guard isComplete, entries.place(of: item.name) == nil, let units = Self.units(item.bytes),
            Int(units) * DiskEntries.unit <= limits.bytes
        else { return }
        decide(item.name)
        add(item.name, IndexedEntry(units: units, lastUse: now), state: .isLeftover)
    }

    /// Empties the index. Everything that the directory held is gone as well.
    package mutating func removeAll() {
        entries = DiskEntries()
        tags = TagSets()
        used.removeAll()
        totalBytes = 0
        unreadCount = 0
        nextExpiry = .max
        isComplete = true
        emptied = order
    }

    // MARK: Orders

    /// Hands out everything decided since the last call as one order, and returns its number.
    package mutating func makeOrder() -> UInt64 {
        order += 1
        return order - 1
    }

    /// Leaves removals that have already been decided to the next order.
    package mutating func postpone(_ items: some Sequence<Item>) {
        for item in items where outstanding[item.name] != order { decide(item.name) }
    }

    /// Adds everything decided since the last order to that order, which must not have begun.
    package mutating func extendOrder() {
        for place in decisions.indices.reversed() {
            guard decisions[place].order == order else { break }
            decisions[place].order -= 1
            outstanding[decisions[place].name] = order - 1
        }
    }

    /// Called when an order and all earlier ones have been carried out. Returns the names decided by these orders and
    /// by no later one.
    @discardableResult
    package mutating func settle(order: UInt64) -> [EntryName] {
        var settled: [EntryName] = []
        while nextDecision < decisions.count, decisions[nextDecision].order <= order {
            let (name, order) = decisions[nextDecision]
            if outstanding[name] == order {
                outstanding[name] = nil
                settled.append(name)
            }
            nextDecision += 1
        }
        if nextDecision * 2 > decisions.count {
            // Releases the memory of a large clean-up's decisions.
            if nextDecision == decisions.count, nextDecision > 1024 { outstanding = [:] }
            decisions = Array(decisions[nextDecision...])
            nextDecision = 0
        }
        return settled
    }

    /// Whether an order's view of the directory is out of date.
    func isOutdated(_ order: UInt64) -> Bool { order < emptied }

    private mutating func decide(_ name: EntryName) {
        outstanding[name] = order
        decisions.append((name, order))
    }

    // MARK: Choosing

    /// Changes the limits. Returns at most `most` entries that must be removed to meet them.
    @discardableResult
    package mutating func change(_ limits: Limits, most: Int = .max) -> [Item] {
        self.limits = limits
        return keepLimits(most: most)
    }

    /// Evicts at most `most` of the least recently used entries to meet the limits, once the index is complete.
    package mutating func keepLimits(most: Int = .max) -> [Item] {
        guard isComplete else { return [] }
        return evict(most: most) { $0.totalBytes > $0.limits.bytes || $0.count > $0.limits.count }
    }

    /// Evicts at most `most` of the least recently used entries, until at most `bytes` bytes are left; with 0 or
    /// less, all of them, because no file is empty.
    package mutating func trim(toBytes bytes: Int, most: Int = .max) -> [Item] {
        evict(most: most) { $0.totalBytes > bytes }
    }

    /// Removes at most `most` expired entries.
    package mutating func expire(at now: UInt32, most: Int = .max) -> [Item] {
        noticeTime(now)
        var expired: [Item] = []
        while expired.count < most, entries.oldest != DiskEntries.nowhere,
            isOld(entries[Int(entries.oldest)], now)
        {
            expired.append(removeOldest())
        }
        guard nextExpiry <= now else { return expired }
        var due: [EntryName] = []
        nextExpiry = .max
        for entry in entries.all where entry.expires != 0 {
            if entry.expires <= now, expired.count + due.count < most {
                due.append(entry.name)
            } else {
                nextExpiry = min(nextExpiry, entry.expires)
            }
        }
        for name in due {
            expired.append(item(of: name))
            remove(name)
        }
        return expired
    }

    // MARK: Entries

    /// Converts bytes to units, rounding up. Returns nil if the size is negative or too large.
    static func units(_ bytes: Int) -> UInt32? {
        UInt32(exactly: bytes / DiskEntries.unit + (bytes % DiskEntries.unit).signum())
    }

    func described(_ entry: DiskEntries.Entry) -> IndexedEntry {
        IndexedEntry(
            units: entry.units, lastUse: entry.lastUse, expires: entry.expires, tags: tags[entry.tags],
            isUnread: entry.state.contains(.isUnread), isLeftover: entry.state.contains(.isLeftover))
    }

    /// Adds an entry that isn't in the index, unless the total size would overflow: sizes can be anything that was
    /// found in the directory.
    mutating func add(
        _ name: EntryName, _ entry: IndexedEntry, state: DiskEntries.State = [], version: Version? = nil
    ) {
        let bytes = Int(entry.units) * DiskEntries.unit
        guard bytes <= .max - totalBytes else { return }
        entries.add(
            DiskEntries.Entry(
                name: name, units: entry.units, lastUse: entry.lastUse, expires: entry.expires,
                tags: tags.add(entry.tags), version: version ?? nextVersion(), state: state))
        totalBytes += bytes
        if state.contains(.isUnread) { unreadCount += 1 }
        if entry.expires != 0 { nextExpiry = min(nextExpiry, entry.expires) }
    }

    mutating func remove(at place: Int) {
        let entry = entries.remove(at: place)
        tags.remove(entry.tags)
        totalBytes -= entry.bytes
        if entry.state.contains(.isUnread) { unreadCount -= 1 }
    }

    private mutating func resize(_ place: Int, to bytes: Int) {
        if let units = Self.units(bytes) { resize(place, toUnits: units) }
    }

    mutating func resize(_ place: Int, toUnits units: UInt32) {
        let others = totalBytes - entries[place].bytes
        guard Int(units) * DiskEntries.unit <= .max - others else { return }
        totalBytes = others + Int(units) * DiskEntries.unit
        entries[place].units = units
    }

    private mutating func describe(_ place: Int, expires: UInt32, tags hashes: [UInt64]) {
        if entries[place].state.contains(.isUnread) { unreadCount -= 1 }
        tags.remove(entries[place].tags)
        entries[place].tags = tags.add(hashes)
        entries[place].expires = expires
        entries[place].state.remove(.isUnread)
        if expires != 0 { nextExpiry = min(nextExpiry, expires) }
    }

    private mutating func evict(most: Int = .max, while isTooMuch: (Self) -> Bool) -> [Item] {
        var victims: [Item] = []
        while victims.count < most, entries.oldest != DiskEntries.nowhere, isTooMuch(self) {
            victims.append(removeOldest())
        }
        return victims
    }

    private mutating func removeOldest() -> Item {
        let entry = entries[Int(entries.oldest)]
        decide(entry.name)
        remove(at: Int(entries.oldest))
        return Item(name: entry.name, bytes: entry.bytes)
    }

    // MARK: Time

    func isExpired(_ entry: DiskEntries.Entry, _ now: UInt32) -> Bool {
        entry.expires != 0 && entry.expires <= now || isOld(entry, now)
    }

    private func isOld(_ entry: DiskEntries.Entry, _ now: UInt32) -> Bool {
        guard let timeToLive = limits.timeToLive, now > entry.lastUse else { return false }
        return Int(now - entry.lastUse) > timeToLive
    }

    /// Resets last uses that are in the future. Otherwise, after the clock is set back, entries would stay for as long
    /// as the clock had been ahead.
    mutating func noticeTime(_ now: UInt32) {
        defer { latest = now }
        guard now < latest else { return }
        for place in entries.all.indices where entries[place].lastUse > now {
            entries[place].lastUse = now
            hasCorrections = true
        }
    }
}
