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
    /// The result of a store.
    package struct Outcome: Sendable {
        /// Whether the value is in the table now.
        package let isTaken: Bool
        /// The entries removed for it.
        package let departures: EvictedEntries<Key, Value>
    }

    /// Counts look-ups and stores. Idle time is measured in these, because what matters is how many other entries were
    /// asked for meanwhile.
    private var tick: UInt32 = 0
    package private(set) var counts = EvictionCounts()
    package private(set) var limits: EvictionLimits
    package private(set) var totalCost = 0
    /// No entry expires before this; nil when none ever does. It may be too early, because entries are removed.
    package private(set) var earliestExpiry: Duration?

    private struct Entry: Sendable {
        let cost: Int
        let value: Value
        /// When the entry expires. Valid only if the entry's use record says that it does.
        let expiry: Duration
    }

    private var entries = DenseTable<Key, Entry>()
    /// The records that the hand examines, by index.
    private var uses: [UseRecord] = []
    private var hand = 0

    package init(limits: EvictionLimits) {
        self.limits = limits
    }

    package var count: Int { entries.count }

    // MARK: Look-up

    /// Returns the value of `key` and records its use. An expired entry isn't found, and stays in the table.
    ///
    /// - Parameter now: Evaluated only if the entry can expire.
    // Inlined, so that a caller that uses part of the value doesn't retain and release the rest.
    @inline(__always)
    package mutating func lookUp(_ key: Key, now: @autoclosure () -> Duration) -> Value? {
        guard let at = entries.place(of: key), !uses[at].expires || now() < entries.rows[at].element.expiry else {
            counts.misses += 1
            return nil
        }
        counts.hits += 1
        tick &+= 1
        uses[at].record(1, at: tick)
        return entries.rows[at].element.value
    }

    /// Whether a look-up would find `key`. Records nothing.
    package func contains(_ key: Key, now: @autoclosure () -> Duration) -> Bool {
        guard let at = entries.place(of: key) else { return false }
        return !uses[at].expires || now() < entries.rows[at].element.expiry
    }

    /// Calls `body` with all entries, including expired ones, in no particular order. O(entries).
    package func forEach(_ body: (_ key: Key, _ value: Value, _ cost: Int) -> Void) {
        for row in entries.rows { body(row.key, row.element.value, row.element.cost) }
    }

    // MARK: Store

    /// Stores a value and makes room for it. If the limits don't admit the value, or if it has expired, it isn't
    /// stored, and an existing value under its key is still removed.
    ///
    /// - Parameters:
    ///   - cost: Negative values count as zero.
    ///   - expiry: The time from which on the value isn't found; nil for never.
    ///   - now: Evaluated only if there is an expiry.
    package mutating func store(
        _ value: consuming Value, cost: Int, for key: consuming Key, expiry: Duration? = nil,
        now: @autoclosure () -> Duration = .zero
    ) -> Outcome {
        let cost = max(0, cost)
        let earlier = entries.place(of: key)
        var departures = EvictedEntries<Key, Value>()
        guard limits.admits(cost), expiry.map({ now() < $0 }) ?? true else {
            if let earlier { departures.append(takeOut(earlier, .replaced)) }
            return Outcome(isTaken: false, departures: departures)
        }
        tick &+= 1
        counts.stores += 1
        if let expiry { earliestExpiry = min(expiry, earliestExpiry ?? expiry) }
        let entry = Entry(cost: cost, value: value, expiry: expiry ?? .zero)
        let use = UseRecord(
            cost: cost, meanCost: Float(totalCost) / Float(max(1, count)), tick: tick, expires: expiry != nil,
            earlier: earlier.map { uses[$0] })
        if let earlier {
            if totalCost - entries.rows[earlier].element.cost <= limits.cost - cost {
                departures.append(exchange(earlier, key, entry, use, .replaced))
                return Outcome(isTaken: true, departures: consume departures)
            }
            departures.append(takeOut(earlier, .replaced))
        }
        while let shortage = shortage(for: cost) {
            let victim = leastWorthy()
            // The new entry takes the last victim's index, so nothing is moved.
            if totalCost - entries.rows[victim].element.cost <= limits.cost - cost {
                departures.append(exchange(victim, key, entry, use, shortage))
                return Outcome(isTaken: true, departures: consume departures)
            }
            departures.append(takeOut(victim, shortage))
        }
        entries.append(key, entry)
        uses.append(use)
        totalCost += cost
        return Outcome(isTaken: true, departures: consume departures)
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
            takeOut(.cost, into: &departures) { _, row in !new.admits(row.element.cost) }
        }
        while count > limits.count { departures.append(takeOut(leastWorthy(), .count)) }
        while totalCost > limits.cost { departures.append(takeOut(leastWorthy(), .cost)) }
        return departures
    }

    /// Removes the entries that have expired by `now`. O(1) before the earliest expiry, otherwise O(entries).
    package mutating func removeExpired(now: Duration) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        guard let earliest = earliestExpiry, earliest <= now else { return departures }
        takeOut(.expired, into: &departures) { uses, row in uses.expires && row.element.expiry <= now }
        earliestExpiry = leastExpiry()
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
        takeOut(.removed, into: &departures) { _, row in matches(row.key, row.element.value) }
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
            guard let noted = uses(entries.rows[place].hash) else { continue }
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
        entries.place(of: key).flatMap { uses[$0].expires ? entries.rows[$0].element.expiry : nil }
    }

    /// The cost of an entry; nil when there is none. Records nothing.
    package func cost(of key: Key) -> Int? { entries.place(of: key).map { entries.rows[$0].element.cost } }

    /// Continues counting look-ups and stores from `tick`, if that is ahead.
    package mutating func catchUp(with tick: UInt32) {
        if Int32(bitPattern: tick &- self.tick) > 0 { self.tick = tick }
    }

    /// The number of look-ups that hit and of stores, modulo 2³².
    package var ticks: UInt32 { tick }

    // MARK: For tests

    /// Describes a broken invariant, or nil when there is none.
    package var brokenInvariant: String? {
        if totalCost > limits.cost || count > limits.count { return "a limit is exceeded" }
        if entries.rows.contains(where: { !limits.admits($0.element.cost) }) { return "an entry is not admitted" }
        if entries.rows.reduce(0, { $0 + $1.element.cost }) != totalCost { return "the costs do not add up" }
        if uses.count != entries.count { return "entries and their uses differ in number" }
        if let least = leastExpiry(), earliestExpiry.map({ $0 > least }) ?? true { return "an expiry is not known" }
        return entries.brokenInvariant
    }

    // MARK: Entries

    /// The limit that an entry of this cost would exceed in place of one that costs `earlier`; nil when there is room.
    package func shortage(for cost: Int, replacing earlier: Int? = nil) -> EvictionReason? {
        if totalCost - (earlier ?? 0) > limits.cost - cost { return .cost }
        return earlier == nil && count >= limits.count ? .count : nil
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
        _ at: Int, _ key: Key, _ entry: consuming Entry, _ use: UseRecord, _ reason: EvictionReason
    ) -> Departed<Key, Value> {
        let expires = uses[at].expires
        uses[at] = use
        totalCost += entry.cost - entries.rows[at].element.cost
        counts.add(reason)
        return departed(entries.exchange(at, key, entry), expires: expires, reason)
    }

    /// Removes the entry at an index. The last entry moves there.
    private mutating func takeOut(_ at: Int, _ reason: EvictionReason) -> Departed<Key, Value> {
        let expires = uses[at].expires
        uses.takeOut(at)
        let row = entries.takeOut(at)
        totalCost -= row.element.cost
        counts.add(reason)
        return departed(consume row, expires: expires, reason)
    }

    private func departed(
        _ row: consuming DenseTable<Key, Entry>.Row, expires: Bool, _ reason: EvictionReason
    ) -> Departed<Key, Value> {
        Departed(
            key: row.key, hash: row.hash, value: row.element.value, cost: row.element.cost,
            expiry: expires ? row.element.expiry : nil, reason: reason)
    }

    private mutating func takeOut(
        _ reason: EvictionReason, into departures: inout EvictedEntries<Key, Value>,
        where matches: (UseRecord, DenseTable<Key, Entry>.Row) -> Bool
    ) {
        // In reverse, because the last entry moves to an index that becomes free.
        for at in uses.indices.reversed() where matches(uses[at], entries.rows[at]) {
            departures.append(takeOut(at, reason))
        }
    }

    private mutating func takeOutAll(_ reason: EvictionReason, into departures: inout EvictedEntries<Key, Value>) {
        for at in uses.indices {
            counts.add(reason)
            departures.append(departed(entries.rows[at], expires: uses[at].expires, reason))
        }
        entries = DenseTable()
        uses = []
        totalCost = 0
        hand = 0
        earliestExpiry = nil
    }

    private func leastExpiry() -> Duration? {
        var least: Duration?
        for (use, row) in zip(uses, entries.rows) where use.expires {
            least = min(least ?? row.element.expiry, row.element.expiry)
        }
        return least
    }
}
