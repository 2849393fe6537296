/// Which entries the disk holds, how large they are and which goes first: decisions only, no file is touched.
///
/// The index is ahead of the disk: it stands as if all writes and removals handed out had been done. They are done in
/// the order they were handed out, so the sum on disk keeps the limit at every step. Times are seconds since 1970.
package struct DiskIndex: Sendable {
    package private(set) var limits: Limits
    package internal(set) var totalBytes = 0
    /// Whether all that the directory held before has been taken in.
    package internal(set) var isComplete = false
    /// How many entries are known by their files' names alone.
    package internal(set) var unreadCount = 0

    var entries = DiskEntries()
    var tags = TagSets()
    /// Names about which a decision has been made that the disk may not know of yet, with the number of the order that
    /// carries it out. What others, or the directory, say of them is out of date.
    var outstanding: [EntryName: UInt64] = [:]
    /// The same, in order; a name may come again.
    private var decisions: [(name: EntryName, order: UInt64)] = []
    private var nextDecision = 0
    /// The number of the order that carries out what is decided now.
    private var order: UInt64 = 1
    /// The order that last emptied the directory: what was seen before is gone.
    private var emptied: UInt64 = 0
    /// Entries used since the uses were last taken.
    private var used: [EntryName] = []
    var lastVersion: Version = 0
    /// No entry expires of itself before.
    var nextExpiry = UInt32.max
    /// The time when it was last told. No entry was used after.
    var latest: UInt32 = 0
    /// Whether last uses that lay in the future were put back to the present, and nothing but this index says so.
    var hasCorrections = false

    package init(limits: Limits) { self.limits = limits }

    package var count: Int { entries.count }

    package func presence(of name: EntryName, at now: UInt32) -> Presence {
        if let place = entries.place(of: name) {
            let entry = entries[place]
            return entry.state.contains(.isLeftover) || isExpired(entry, now) ? .absent : .present(entry.version)
        }
        return isComplete || outstanding[name] != nil ? .absent : .unknown
    }

    /// What is counted for a name; 0 when nothing is.
    package func item(of name: EntryName) -> Item {
        Item(name: name, bytes: entries.place(of: name).map { entries[$0].bytes } ?? 0)
    }

    package mutating func recordUse(of name: EntryName, at now: UInt32) {
        noticeTime(now)
        guard let place = entries.place(of: name) else { return }
        entries.use(at: place, now: now)
        guard !entries[place].state.contains(.isUsed) else { return }
        entries.update(place) { $0.state.insert(.isUsed) }
        used.append(name)
    }

    /// The uses since the last time, each entry once.
    package mutating func takeUses() -> [IndexRecord] {
        defer { used.removeAll() }
        return used.compactMap { name in
            guard let place = entries.place(of: name), entries[place].state.contains(.isUsed) else { return nil }
            entries.update(place) { $0.state.remove(.isUsed) }
            return .used(name, at: entries[place].lastUse)
        }
    }

    /// Whether times were corrected since the last call: until the index is written anew, whoever reads what was
    /// written before would correct them again, each time to a later one.
    package mutating func takeCorrections() -> Bool {
        defer { hasCorrections = false }
        return hasCorrections
    }

    // MARK: Writes

    /// Takes in an entry about to be written, once the index is complete; nil when it is larger than the limit, and
    /// then `name` itself is to be removed.
    package mutating func insert(
        _ name: EntryName, bytes: Int, expires: UInt32 = 0, tags hashes: [UInt64] = [], at now: UInt32
    ) -> Plan? {
        noticeTime(now)
        let old = item(of: name).bytes
        remove(name)
        guard hasRoom(for: bytes), let units = Self.units(bytes) else { return nil }
        let bytes = Int(units) * DiskEntries.unit
        let mayRemain = Item(name: name, bytes: max(bytes, old))
        let victims = evict { $0.totalBytes > $0.limits.bytes - bytes || $0.count >= $0.limits.count }
        let entry = IndexedEntry(units: units, lastUse: now, expires: expires, tags: hashes)
        add(name, entry)
        return Plan(version: lastVersion, victims: victims, mayRemain: mayRemain, replaces: old > 0, entry: entry)
    }

    /// The write of an entry has ended well: it takes so many bytes, which are no more than was planned.
    package mutating func settle(_ name: EntryName, _ version: Version, bytes: Int) {
        guard let place = entries.place(of: name), entries[place].version == version else { return }
        resize(place, to: bytes)
    }

    /// The write of an entry has failed, and the one that was there before stays.
    ///
    /// - Parameter bytes: what it takes, which is no more than was planned.
    /// - Returns: what is to be told of it; nil when a newer one has taken its place.
    package mutating func restore(
        _ name: EntryName, _ version: Version, as old: IndexedEntry, bytes: Int
    ) -> IndexedEntry? {
        guard let place = entries.place(of: name), entries[place].version == version else { return nil }
        resize(place, to: bytes)
        describe(place, expires: old.expires, tags: old.tags)
        if old.isUnread {
            entries.update(place) { $0.state.insert(.isUnread) }
            unreadCount += 1
        }
        return described(entries[place])
    }

    /// Whether an entry may be taken in at all.
    package func hasRoom(for bytes: Int) -> Bool {
        guard let units = Self.units(bytes), limits.count > 0 else { return false }
        return Int(units) * DiskEntries.unit <= limits.bytes
    }

    /// What the file of an unread entry says.
    package mutating func learn(_ name: EntryName, _ version: Version, expires: UInt32, tags hashes: [UInt64]) {
        guard let place = entries.place(of: name), entries[place].version == version else { return }
        describe(place, expires: expires, tags: hashes)
    }

    /// Takes an entry out: it was removed, or its write failed.
    ///
    /// - Parameter version: when given, a newer entry of that name stays.
    /// - Returns: whether there was one.
    @discardableResult
    package mutating func remove(_ name: EntryName, version: Version? = nil) -> Bool {
        guard let place = entries.place(of: name), version == nil || entries[place].version == version else {
            if version == nil { decide(name) }
            return false
        }
        decide(name)
        remove(at: place)
        return true
    }

    /// Counts a file that should be gone and could not be removed. Its turn to be removed comes again.
    package mutating func keepLeftover(_ item: Item, at now: UInt32) {
        // One that is larger than all there is room for would only drive out the others.
        noticeTime(now)
        guard isComplete, entries.place(of: item.name) == nil, let units = Self.units(item.bytes),
            Int(units) * DiskEntries.unit <= limits.bytes
        else { return }
        add(item.name, IndexedEntry(units: units, lastUse: now), state: .isLeftover)
    }

    /// Empties the index; what the directory held before is gone too.
    package mutating func removeAll() {
        entries.removeAll()
        tags = TagSets()
        used.removeAll()
        totalBytes = 0
        unreadCount = 0
        nextExpiry = .max
        isComplete = true
        emptied = order
    }

    // MARK: Orders

    /// What was decided since the last call is handed out together: the number of that order.
    package mutating func makeOrder() -> UInt64 {
        order += 1
        return order - 1
    }

    /// An order has been carried out, as all before it.
    package mutating func settle(order: UInt64) {
        while nextDecision < decisions.count, decisions[nextDecision].order <= order {
            let (name, order) = decisions[nextDecision]
            if outstanding[name] == order { outstanding[name] = nil }
            nextDecision += 1
        }
        if nextDecision * 2 > decisions.count {
            // After a large clean-up the room for its decisions is given back.
            if nextDecision == decisions.count, nextDecision > 1024 { outstanding = [:] }
            decisions = Array(decisions[nextDecision...])
            nextDecision = 0
        }
    }

    /// Whether what was seen of the directory by an order is out of date.
    func isOutdated(_ order: UInt64) -> Bool { order < emptied }

    private mutating func decide(_ name: EntryName) {
        outstanding[name] = order
        decisions.append((name, order))
    }

    // MARK: Choosing

    /// Other limits: what has to go for them.
    package mutating func change(_ limits: Limits) -> [Item] {
        self.limits = limits
        return isComplete ? keepLimits() : []
    }

    /// Evicts the least recently used, `most` of them at most, until no more than so many bytes are left.
    package mutating func trim(toBytes bytes: Int, most: Int = .max) -> [Item] {
        evict(most: most) { $0.totalBytes > max(0, bytes) }
    }

    /// Removes entries that are expired, `most` of them at most.
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

    /// The entries of a source.
    package func names(ofSource digest: UInt64) -> [EntryName] { names { $0.name.source == digest } }

    /// The entries with a tag; to be asked when none is unread.
    package func names(withTag tag: String) -> [EntryName] {
        let sets = tags.numbers(with: TagSets.hash(tag))
        return sets.isEmpty ? [] : names { sets.contains($0.tags) }
    }

    /// The entries whose files have not been read, with their versions.
    package var unread: [(name: EntryName, version: Version)] {
        entries.all.filter { $0.state.contains(.isUnread) }.map { ($0.name, $0.version) }
    }

    /// The entries that look-ups find, the one used longest ago first.
    package func names(at now: UInt32) -> [EntryName] {
        entries.order.map { entries[$0] }.filter { !$0.state.contains(.isLeftover) && !isExpired($0, now) }
            .map(\.name)
    }

    /// What is known of an entry.
    package func entry(_ name: EntryName) -> IndexedEntry? {
        entries.place(of: name).map { described(entries[$0]) }
    }

    private func names(where matches: (DiskEntries.Entry) -> Bool) -> [EntryName] {
        entries.all.filter { !$0.state.contains(.isLeftover) && matches($0) }.map(\.name)
    }

    /// All of the index, the entry used longest ago first.
    package var records: [IndexRecord] {
        entries.order.map { .entry(entries[$0].name, described(entries[$0])) }
    }

    // MARK: Entries

    /// Nil when a size is beyond what is counted, or none.
    static func units(_ bytes: Int) -> UInt32? {
        UInt32(exactly: bytes / DiskEntries.unit + (bytes % DiskEntries.unit).signum())
    }

    func described(_ entry: DiskEntries.Entry) -> IndexedEntry {
        IndexedEntry(
            units: entry.units, lastUse: entry.lastUse, expires: entry.expires, tags: tags[entry.tags],
            isUnread: entry.state.contains(.isUnread), isLeftover: entry.state.contains(.isLeftover))
    }

    /// Adds an entry that is not here, unless the sizes, which are whatever someone wrote there, would overflow.
    mutating func add(
        _ name: EntryName, _ entry: IndexedEntry, state: DiskEntries.State = [], version: Version? = nil
    ) {
        let bytes = Int(entry.units) * DiskEntries.unit
        guard bytes <= .max - totalBytes else { return }
        lastVersion &+= 1
        entries.add(
            DiskEntries.Entry(
                name: name, units: entry.units, lastUse: entry.lastUse, expires: entry.expires,
                tags: tags.add(entry.tags), version: version ?? lastVersion, state: state))
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
        entries.update(place) { $0.units = units }
    }

    private mutating func describe(_ place: Int, expires: UInt32, tags hashes: [UInt64]) {
        if entries[place].state.contains(.isUnread) { unreadCount -= 1 }
        tags.remove(entries[place].tags)
        let set = tags.add(hashes)
        entries.update(place) {
            $0.tags = set
            $0.expires = expires
            $0.state.remove(.isUnread)
        }
        if expires != 0 { nextExpiry = min(nextExpiry, expires) }
    }

    /// Evicts the least recently used until the limits are kept.
    mutating func keepLimits() -> [Item] {
        evict { $0.totalBytes > $0.limits.bytes || $0.count > $0.limits.count }
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

    private func isExpired(_ entry: DiskEntries.Entry, _ now: UInt32) -> Bool {
        entry.expires != 0 && entry.expires <= now || isOld(entry, now)
    }

    private func isOld(_ entry: DiskEntries.Entry, _ now: UInt32) -> Bool {
        guard let timeToLive = limits.timeToLive, now > entry.lastUse else { return false }
        return Int(now - entry.lastUse) > timeToLive
    }

    /// After the clock was put back, entries would stay for as long as it had been ahead.
    mutating func noticeTime(_ now: UInt32) {
        defer { latest = now }
        guard now < latest else { return }
        for place in entries.all.indices where entries[place].lastUse > now {
            entries.update(place) { $0.lastUse = now }
            hasCorrections = true
        }
    }
}
