/// The entries of a cache, each with a cost, the sum of which never exceeds a limit.
///
/// Room is made by a hand that rotates over the entries: of the next 16 the one goes that is worth the least, by uses,
/// idle time and size (`Docs/Decisions/0012-what-memory-forgets.md`). No lists are kept, so a hit only writes two
/// numbers. What is asked often lies together: the index, and what the hand looks at, apart from keys and values.
///
/// Each event is O(1), amortised, unless it says otherwise. Moments are times since an origin of the caller's choice; a
/// clock that goes backwards makes entries that were over valid again, and no more. The default of a moment is read
/// for entries that can expire only.
package struct EvictionTable<Key: PrehashedKey, Value: Sendable>: Sendable {
    /// What a store did.
    package struct Outcome: Sendable {
        /// Whether the value is in the table now.
        package let isTaken: Bool
        /// What left for it.
        package let departures: EvictedEntries<Key, Value>
    }

    /// Counts look-ups and stores; idle time is measured in it, as what matters is what else was asked for meanwhile.
    private var tick: UInt32 = 0
    package private(set) var counts = EvictionCounts()
    package private(set) var limits: EvictionLimits
    package private(set) var totalCost = 0
    /// No entry expires before this; nil when none ever does. It may be earlier than needed, as entries leave.
    package private(set) var earliestExpiry: Duration?

    private struct Entry: Sendable {
        let cost: Int
        let value: Value
        /// The end of its time; for entries that are marked only.
        let expiry: Duration
    }

    private var entries = DenseTable<Key, Entry>()
    /// What the hand looks at, place by place.
    private var uses: [UseRecord] = []
    private var hand = 0

    package init(limits: EvictionLimits) {
        self.limits = limits
    }

    package var count: Int { entries.count }

    // MARK: Look-up

    /// The value of `key`, its use recorded. One whose time is over is not found, and stays where it is.
    ///
    /// - Parameter now: read only where the entry can expire.
    // Inlined, so that a caller who takes a part of the value need not hold and let go of the rest.
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

    /// Whether a look-up would find `key`; records nothing.
    package func contains(_ key: Key, now: @autoclosure () -> Duration) -> Bool {
        guard let at = entries.place(of: key) else { return false }
        return !uses[at].expires || now() < entries.rows[at].element.expiry
    }

    /// Calls `body` with all entries, in no order, those whose time is over too. O(entries).
    package func forEach(_ body: (_ key: Key, _ value: Value, _ cost: Int) -> Void) {
        for row in entries.rows { body(row.key, row.element.value, row.element.cost) }
    }

    // MARK: Store

    /// Puts a value in and makes room for it. One that the limits don't admit, or whose time is over, is not taken, and
    /// what was there under its key goes all the same.
    ///
    /// - Parameters:
    ///   - cost: below zero counts as zero.
    ///   - expiry: the moment from which on it is not found; nil for never.
    ///   - now: read only if there is an expiry.
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
            // The last one to go gives its place too, so nothing is moved.
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

    // MARK: Less

    /// Changes the limits; what is too much leaves, what is too large by itself before others have to. O(entries) where
    /// less is admitted than before.
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

    /// Takes out what has expired by `now`. O(1) before the earliest expiry, else O(entries).
    package mutating func removeExpired(now: Duration) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        guard let earliest = earliestExpiry, earliest <= now else { return departures }
        takeOut(.expired, into: &departures) { uses, row in uses.expires && row.element.expiry <= now }
        earliestExpiry = leastExpiry()
        return departures
    }

    /// Takes an entry out, nil when there is none.
    @discardableResult
    package mutating func remove(_ key: Key) -> Departed<Key, Value>? {
        entries.place(of: key).map { takeOut($0, .removed) }
    }

    /// Takes out the entries that satisfy `matches`, which must not fail for one it was asked before. O(entries).
    package mutating func removeAll(where matches: (Key, Value) -> Bool) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        takeOut(.removed, into: &departures) { _, row in matches(row.key, row.element.value) }
        return departures
    }

    /// Takes out everything. O(entries).
    @discardableResult
    package mutating func removeAll() -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        takeOutAll(.removed, into: &departures)
        return departures
    }

    // MARK: Look-ups that others have noted

    /// Calls `uses` for each entry that the hand looks at next, to be told of look-ups that were made elsewhere: how
    /// many, and when the last one was.
    ///
    /// - Parameter uses: is told the spread hash of a key.
    package mutating func noteUses(_ uses: (_ hash: UInt64) -> (count: UInt32, tick: UInt32)?) {
        for place in nextLook {
            guard let noted = uses(entries.rows[place].hash) else { continue }
            catchUp(with: noted.tick)
            self.uses[place].record(noted.count, at: noted.tick)
        }
    }

    private var nextLook: Range<Int> {
        let looks = min(16, uses.count)
        // The last ones are looked at together with some before them.
        let start = min(hand < uses.count ? hand : 0, uses.count - looks)
        return start..<start + looks
    }

    /// Evicts the least worthy of those that the hand looks at next, nil when there is none.
    package mutating func evictOne(_ reason: EvictionReason) -> Departed<Key, Value>? {
        uses.isEmpty ? nil : takeOut(leastWorthy(), reason)
    }

    /// When the time of an entry ends; nil when it never does, or there is none.
    func expiry(of key: Key) -> Duration? {
        entries.place(of: key).flatMap { uses[$0].expires ? entries.rows[$0].element.expiry : nil }
    }

    /// The cost of an entry, nil when there is none; records nothing.
    package func cost(of key: Key) -> Int? { entries.place(of: key).map { entries.rows[$0].element.cost } }

    /// Goes on counting look-ups and stores from `tick`, if that is ahead.
    package mutating func catchUp(with tick: UInt32) {
        if Int32(bitPattern: tick &- self.tick) > 0 { self.tick = tick }
    }

    /// Look-ups that hit, and stores, counted modulo 2³².
    package var ticks: UInt32 { tick }

    // MARK: For tests

    /// Why the table contradicts itself, nil when it does not.
    package var brokenInvariant: String? {
        if totalCost > limits.cost || count > limits.count { return "a limit is exceeded" }
        if entries.rows.contains(where: { !limits.admits($0.element.cost) }) { return "an entry is not admitted" }
        if entries.rows.reduce(0, { $0 + $1.element.cost }) != totalCost { return "the costs do not add up" }
        if uses.count != entries.count { return "entries and their uses differ in number" }
        if let least = leastExpiry(), earliestExpiry.map({ $0 > least }) ?? true { return "an expiry is not known" }
        return entries.brokenInvariant
    }

    // MARK: Entries

    /// The limit that an entry of this cost would break, nil when there is room.
    private func shortage(for cost: Int) -> EvictionReason? {
        if totalCost > limits.cost - cost { return .cost }
        return count >= limits.count ? .count : nil
    }

    /// Of those under the hand the one that is worth the least; the hand goes on. There must be an entry.
    private mutating func leastWorthy() -> Int {
        let look = nextLook
        hand = look.upperBound
        return look.lowerBound
            + uses.withUnsafeBufferPointer {
                UseRecord.leastWorthy(of: UnsafeBufferPointer(rebasing: $0[look]), at: tick)
            }
    }

    /// Puts an entry in the place of one that leaves.
    private mutating func exchange(
        _ at: Int, _ key: Key, _ entry: consuming Entry, _ use: UseRecord, _ reason: EvictionReason
    ) -> Departed<Key, Value> {
        let expires = uses[at].expires
        uses[at] = use
        totalCost += entry.cost - entries.rows[at].element.cost
        counts.add(reason)
        return departed(entries.exchange(at, key, entry), expires: expires, reason)
    }

    /// Takes out the entry at a place, which the last one takes.
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
        // From the end, as the last one takes a place that becomes free.
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
