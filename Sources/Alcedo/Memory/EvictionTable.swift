/// The entries of a cache, each with a cost. The total cost never exceeds a limit.
///
/// A clock hand that moves over the entries makes room: of the next 16 entries, the least valuable is evicted, by uses,
/// idle time and size (`Docs/Decisions/0012-what-memory-forgets.md`). There are no linked lists, so a hit only writes
/// two numbers. Data that is read often is stored together: the index and what the hand examines are separate from keys
/// and values.
///
/// Each operation is O(1), amortised, unless stated otherwise. Times are durations since an origin of the caller's
/// choice. If the clock goes back, expired entries become valid again, and nothing worse happens. Default arguments for
/// the time are evaluated only for entries that can expire.
package struct EvictionTable<Key: PrehashedKey, Value: Sendable>: Sendable {
    /// Counts look-ups that hit, and stores, modulo 2³². Idle time is measured in these, because what matters is how
    /// many other entries were asked for meanwhile.
    private(set) var tick: UInt32 = 0
    package private(set) var counts = EvictionCounts()
    package private(set) var limits: EvictionLimits
    package private(set) var totalCost = 0
    /// No entry expires before this; nil when none ever does. It may be too early, because entries are removed.
    package private(set) var earliestExpiry: Duration?

    typealias Entry = Departed<Key, Value>.Entry

    private(set) var entries = DenseTable<Key, Entry>()
    /// The records that the hand examines, by index.
    private(set) var uses: [UseRecord] = []
    /// When the entries expire, by index. Empty until one of them can expire.
    private(set) var expiries: [Duration?] = []
    private var hand = 0

    package init(limits: EvictionLimits) {
        self.limits = limits
    }

    package var count: Int { entries.count }

    // MARK: Look-up

    /// Returns the value of `key` and records its use. An expired entry isn't found, and stays in the table.
    ///
    /// - Parameters:
    ///   - now: Evaluated only if the entry can expire.
    ///   - isAccepted: Whether a value may be returned.
    // Inlined, so that a caller that uses part of the value doesn't retain and release the rest.
    @inline(__always)
    package mutating func lookUp(
        _ key: Key, now: @autoclosure () -> Duration, where isAccepted: (Value) -> Bool = { _ in true }
    ) -> Value? {
        guard let at = entries.place(of: key), isValid(at, now: now()), isAccepted(entries[at].element.value) else {
            counts.misses += 1
            return nil
        }
        counts.hits += 1
        tick &+= 1
        uses[at].record(1, at: tick)
        return entries[at].element.value
    }

    /// Returns what a look-up would find, and records nothing.
    func peek(_ key: Key, now: @autoclosure () -> Duration) -> Value? {
        entries.place(of: key).flatMap { isValid($0, now: now()) ? entries[$0].element.value : nil }
    }

    /// Whether a look-up would find `key`. Records nothing.
    package func contains(_ key: Key, now: @autoclosure () -> Duration) -> Bool {
        entries.place(of: key).map { isValid($0, now: now()) } ?? false
    }

    @inline(__always)
    private func isValid(_ at: Int, now: @autoclosure () -> Duration) -> Bool {
        expiry(at).map { now() < $0 } ?? true
    }

    @inline(__always)
    private func expiry(_ at: Int) -> Duration? { expiries.isEmpty ? nil : expiries[at] }

    /// Calls `body` with the entries whose keys are found together with `key` and that have not expired.
    func forEach(near key: Key, now: () -> Duration, _ body: (Key, Value) -> Void) {
        _ = entries.place(near: key) { at in
            if isValid(at, now: now()) { body(entries[at].key, entries[at].element.value) }
            return false
        }
    }

    /// Changes values, among those whose keys are found together with `key`. Their costs stay the same.
    mutating func updateAll(near key: Key, _ update: (Key, inout Value) -> Void) {
        var places: [Int] = []
        _ = entries.place(near: key) { at in
            places.append(at)
            return false
        }
        for at in places { update(entries[at].key, &entries[at].element.value) }
    }

    /// Calls `body` with all entries, including expired ones, in no particular order. O(entries).
    package func forEach(_ body: (_ key: Key, _ value: Value, _ cost: Int) -> Void) {
        for at in uses.indices { body(entries[at].key, entries[at].element.value, entries[at].element.cost) }
    }

    // MARK: Store

    /// Stores a value and makes room for it. If the limits don't admit the value, or if it has expired, it isn't
    /// stored, and an existing value under its key is still removed.
    ///
    /// - Parameters:
    ///   - cost: Negative values count as zero.
    ///   - expiry: The time from which on the value isn't found; nil for never.
    ///   - now: Evaluated only if there is an expiry.
    ///   - departures: The entries removed for it are appended.
    ///   - beforeEviction: Called before each eviction for lack of room, to note look-ups recorded elsewhere.
    package mutating func store(
        _ value: consuming Value, cost: Int, for key: consuming Key, expiry: Duration? = nil,
        now: @autoclosure () -> Duration = .zero, into departures: inout EvictedEntries<Key, Value>,
        beforeEviction: (inout EvictionTable) -> Void = { _ in }
    ) {
        let cost = max(0, cost)
        let earlier = entries.place(of: key)
        guard limits.admits(cost), expiry.map({ now() < $0 }) ?? true else {
            if let earlier { departures.append(takeOut(earlier, .replaced)) }
            return
        }
        tick &+= 1
        counts.stores += 1
        if let expiry { earliestExpiry = min(expiry, earliestExpiry ?? expiry) }
        let entry = Entry(cost: cost, value: consume value)
        let use = UseRecord(
            cost: cost, meanCost: Float(totalCost) / Float(max(1, count)), tick: tick,
            earlier: earlier.map { uses[$0] })
        // The new entry takes the index of the last one that leaves, so nothing is moved.
        if let earlier {
            if totalCost - entries[earlier].element.cost <= limits.cost - cost {
                return departures.append(exchange(earlier, key, consume entry, use, expiry, .replaced))
            }
            departures.append(takeOut(earlier, .replaced))
        }
        while let shortage = shortage(for: cost) {
            beforeEviction(&self)
            let victim = leastWorthy()
            if totalCost - entries[victim].element.cost <= limits.cost - cost {
                return departures.append(exchange(victim, key, consume entry, use, expiry, shortage))
            }
            departures.append(takeOut(victim, shortage))
        }
        entries.append(key, consume entry)
        uses.appendTightly(use)
        setExpiry(expiry, at: count - 1)
        totalCost += cost
    }

    // MARK: Reducing

    /// Changes the limits. Entries that are too large by themselves are removed first, then others as needed.
    /// O(entries) if the new limits admit less than the old ones.
    package mutating func setLimits(_ new: EvictionLimits) -> EvictedEntries<Key, Value> {
        let old = limits
        limits = new
        var departures = EvictedEntries<Key, Value>()
        if !new.admits(0) {
            takeOutAll(new.count == 0 ? .count : .cost, into: &departures)
        } else if min(new.entryCost, new.cost) < min(old.entryCost, old.cost) {
            takeOut(.cost, into: &departures) { row, _ in !new.admits(row.element.cost) }
        }
        while count > limits.count { departures.append(takeOut(leastWorthy(), .count)) }
        while totalCost > limits.cost { departures.append(takeOut(leastWorthy(), .cost)) }
        return departures
    }

    /// Removes the entries that have expired by `now`. O(1) before the earliest expiry, otherwise O(entries).
    package mutating func removeExpired(now: Duration) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        guard let earliest = earliestExpiry, earliest <= now else { return departures }
        takeOut(.expired, into: &departures) { _, expiry in expiry.map { $0 <= now } ?? false }
        earliestExpiry = leastExpiry
        return departures
    }

    /// Removes an entry; returns nil when there is none.
    @discardableResult
    package mutating func remove(_ key: Key) -> Departed<Key, Value>? {
        entries.place(of: key).map { takeOut($0, .removed) }
    }

    /// Removes the entries that satisfy `matches`, which must not trap for an entry that it was called with before.
    /// O(entries).
    package mutating func removeAll(where matches: (Key, Value) -> Bool) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        takeOut(.removed, into: &departures) { row, _ in matches(row.key, row.element.value) }
        return departures
    }

    /// Removes the entries that satisfy `matches`, among those whose keys are found together with `key`.
    package mutating func removeAll(
        near key: Key, where matches: (Key, Value) -> Bool
    ) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        while let at = entries.place(near: key, where: { matches(entries[$0].key, entries[$0].element.value) }) {
            departures.append(takeOut(at, .removed))
        }
        return departures
    }

    /// Removes all entries. O(entries).
    @discardableResult
    package mutating func removeAll() -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        takeOutAll(.removed, into: &departures)
        return departures
    }

    // MARK: Look-ups recorded elsewhere

    /// Calls `uses` for each entry that the hand examines next, to collect look-ups that were made elsewhere: how many,
    /// and when the last one was.
    ///
    /// - Parameter uses: Receives the mixed hash of a key.
    package mutating func noteUses(_ uses: (_ hash: UInt64) -> (count: UInt32, tick: UInt32)?) {
        for place in nextLook {
            guard let noted = uses(entries[place].key.slotHash) else { continue }
            catchUp(with: noted.tick)
            self.uses[place].record(noted.count, at: noted.tick)
        }
    }

    private var nextLook: Range<Int> {
        let looks = min(16, uses.count)
        // The last few entries are examined together with some before them.
        let start = min(hand < uses.count ? hand : 0, uses.count - looks)
        return start..<start + looks
    }

    /// Evicts the least valuable of the entries that the hand examines next; nil when the table is empty.
    package mutating func evictOne(_ reason: EvictionReason) -> Departed<Key, Value>? {
        uses.isEmpty ? nil : takeOut(leastWorthy(), reason)
    }

    /// When an entry expires; nil when it never does, or when there is none.
    func expiry(of key: Key) -> Duration? {
        expiries.isEmpty ? nil : entries.place(of: key).flatMap { expiry($0) }
    }

    /// Continues counting look-ups and stores from `tick`, if that is ahead.
    package mutating func catchUp(with tick: UInt32) {
        if Int32(bitPattern: tick &- self.tick) > 0 { self.tick = tick }
    }

    // MARK: Entries

    /// The limit that an entry of this cost would exceed; nil when there is room.
    private func shortage(for cost: Int) -> EvictionReason? {
        if totalCost > limits.cost - cost { return .cost }
        return count >= limits.count ? .count : nil
    }

    /// The least valuable of the entries under the hand. Moves the hand on. The table must not be empty.
    private mutating func leastWorthy() -> Int {
        let look = nextLook
        hand = look.upperBound
        return look.lowerBound
            + uses.withUnsafeBufferPointer {
                UseRecord.leastWorthy(of: UnsafeBufferPointer(rebasing: $0[look]), at: tick)
            }
    }

    /// Replaces the entry at an index and returns the old one.
    private mutating func exchange(
        _ at: Int, _ key: Key, _ entry: consuming Entry, _ use: UseRecord, _ expiry: Duration?,
        _ reason: EvictionReason
    ) -> Departed<Key, Value> {
        let earlierExpiry = setExpiry(expiry, at: at)
        uses[at] = use
        totalCost += entry.cost - entries[at].element.cost
        counts.add(reason)
        return Departed(row: entries.exchange(at, key, consume entry), expiry: earlierExpiry, reason: reason)
    }

    /// Removes the entry at an index. The last entry moves there.
    private mutating func takeOut(_ at: Int, _ reason: EvictionReason) -> Departed<Key, Value> {
        let expiry = expiry(at)
        uses.takeOut(at)
        if !expiries.isEmpty { expiries.takeOut(at) }
        totalCost -= entries[at].element.cost
        counts.add(reason)
        return Departed(row: entries.takeOut(at), expiry: expiry, reason: reason)
    }

    private mutating func takeOut(
        _ reason: EvictionReason, into departures: inout EvictedEntries<Key, Value>,
        where matches: (DenseTable<Key, Entry>.Row, _ expiry: Duration?) -> Bool
    ) {
        // In reverse, because the last entry moves to an index that becomes free.
        for at in uses.indices.reversed() where matches(entries[at], expiry(at)) {
            departures.append(takeOut(at, reason))
        }
    }

    private mutating func takeOutAll(_ reason: EvictionReason, into departures: inout EvictedEntries<Key, Value>) {
        for at in uses.indices {
            counts.add(reason)
            departures.append(Departed(row: entries[at], expiry: expiry(at), reason: reason))
        }
        (entries, uses, expiries) = (DenseTable(), [], [])
        totalCost = 0
        hand = 0
        earliestExpiry = nil
    }

    /// Returns the earlier expiry at this index.
    @discardableResult
    private mutating func setExpiry(_ expiry: Duration?, at: Int) -> Duration? {
        if expiries.isEmpty {
            if expiry == nil { return nil }
            expiries = Array(repeating: nil, count: uses.count)
        } else if at == expiries.count {
            expiries.appendTightly(nil)
        }
        defer { expiries[at] = expiry }
        return expiries[at]
    }

    var leastExpiry: Duration? { expiries.lazy.compactMap { $0 }.min() }
}
