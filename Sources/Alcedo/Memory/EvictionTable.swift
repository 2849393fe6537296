/// The entries of a cache, each with a cost. The total cost never exceeds a limit.
///
/// To make room, a clock hand moves over the entries and evicts the least valuable of the next 16, judged by uses, idle
/// time and size (`Docs/Decisions/0012-what-memory-forgets.md`). No order of use is kept, so a hit only writes two
/// numbers. The records that the hand examines are stored apart from keys and values.
///
/// Unless stated otherwise, each operation takes amortized O(1) time in addition to finding a key among those of its
/// group. Times are durations since a moment of the caller's choice. If the clock is set back, expired entries become
/// valid again, with no other effect. Default arguments for the time are evaluated only for entries that can expire.
///
/// If a lock protects the table, release departed entries after unlocking: freeing their contents may take a long time.
package struct EvictionTable<Key: GroupedKey, Value: Sendable>: Sendable {
    package typealias Departures = [Departed<Key, Value>]

    /// Counts look-ups that hit, and stores, modulo 2³². Idle time is measured in these events, because what matters is
    /// how many other entries were used in between.
    private var tick: UInt32 = 0
    package private(set) var counts = EvictionCounts()
    package private(set) var limits: EvictionLimits
    package private(set) var totalCost = 0
    /// No entry expires before this time; nil if none ever expires. May be too early, because removing an entry doesn't
    /// update it.
    package private(set) var earliestExpiry: Duration?

    private(set) var entries = GroupedTable<Key, TableEntry<Value>>()
    /// The records that the hand examines, by index.
    private(set) var uses: [UseRecord] = []
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
        guard let at = entries.index(of: key), isValid(at, now: now()), isAccepted(entries[at].element.value) else {
            counts.misses += 1
            return nil
        }
        counts.hits += 1
        tick &+= 1
        uses[at].record(at: tick)
        return entries[at].element.value
    }

    /// Returns what a look-up would find. Records nothing.
    func peek(_ key: Key, now: @autoclosure () -> Duration) -> Value? {
        entries.index(of: key).flatMap { isValid($0, now: now()) ? entries[$0].element.value : nil }
    }

    /// Whether a look-up would find `key`. Records nothing.
    package func contains(_ key: Key, now: @autoclosure () -> Duration) -> Bool {
        entries.index(of: key).map { isValid($0, now: now()) } ?? false
    }

    @inline(__always)
    private func isValid(_ at: Int, now: @autoclosure () -> Duration) -> Bool {
        entries[at].element.expiry.map { now() < $0 } ?? true
    }

    /// The entries of a group, including expired ones. O(entries of the group).
    func entries(of group: Key.Group) -> [(key: Key, entry: TableEntry<Value>)] {
        entries.indices(of: group).map { (entries[$0].key, entries[$0].element) }
    }

    /// Changes the values of a group. Their costs stay the same.
    mutating func updateAll(of group: Key.Group, _ update: (inout Value) -> Void) {
        for at in entries.indices(of: group) { update(&entries[at].element.value) }
    }

    /// Calls `body` with all entries, including expired ones, in no particular order. O(entries).
    package func forEach(_ body: (_ key: Key, _ entry: TableEntry<Value>) -> Void) {
        for row in entries.rows { body(row.key, row.element) }
    }

    // MARK: Store

    /// Stores a value and makes room for it. If the limits don't admit the value, or if it has expired, it isn't
    /// stored, and an existing value under its key is still removed.
    ///
    /// - Parameters:
    ///   - cost: Negative values count as zero.
    ///   - expiry: The time from which the value isn't found; nil for never.
    ///   - now: Evaluated only if there is an expiry.
    ///   - departures: Entries removed by this operation are appended.
    package mutating func store(
        _ value: consuming Value, cost: Int, for key: Key, expiry: Duration? = nil,
        now: @autoclosure () -> Duration = .zero, into departures: inout Departures
    ) {
        let (cost, meanCost) = (max(0, cost), Float(totalCost) / Float(max(1, count)))
        var earlier: UseRecord?
        if let at = entries.index(of: key) {
            earlier = uses[at]
            departures.append(takeOut(at, .replaced))
        }
        guard limits.admits(cost), expiry.map({ now() < $0 }) ?? true else { return }
        tick &+= 1
        counts.stores += 1
        if let expiry { earliestExpiry = min(expiry, earliestExpiry ?? expiry) }
        while let shortage = shortage(for: cost) { departures.append(takeOut(leastWorthy(), shortage)) }
        entries.append(key, TableEntry(cost: cost, value: value, expiry: expiry))
        uses.append(UseRecord(cost: cost, meanCost: meanCost, tick: tick, earlier: earlier))
        totalCost += cost
    }

    // MARK: Reducing

    /// Changes the limits. Entries that are too large by themselves are removed first, then others as needed.
    /// O(entries) if the new limits admit less than the old ones.
    package mutating func setLimits(_ new: EvictionLimits) -> Departures {
        let old = limits
        limits = new
        if !new.admits(0) { return removeAll(new.count == 0 ? .count : .cost) }
        var departures: Departures = []
        if min(new.entryCost, new.cost) < min(old.entryCost, old.cost) {
            departures = removeAll(.cost) { !new.admits($1.cost) }
        }
        while count > limits.count { departures.append(takeOut(leastWorthy(), .count)) }
        while totalCost > limits.cost { departures.append(takeOut(leastWorthy(), .cost)) }
        return departures
    }

    /// Removes the entries that have expired by `now`. O(1) before the earliest expiry, otherwise O(entries).
    package mutating func removeExpired(now: Duration) -> Departures {
        guard let earliest = earliestExpiry, earliest <= now else { return [] }
        defer { earliestExpiry = leastExpiry }
        return removeAll(.expired) { $1.expiry.map { $0 <= now } ?? false }
    }

    /// Removes an entry and returns it; nil if there is none.
    @discardableResult
    package mutating func remove(_ key: Key) -> Departed<Key, Value>? {
        entries.index(of: key).map { takeOut($0, .removed) }
    }

    /// Removes the entries that satisfy `matches`. O(entries).
    package mutating func removeAll(
        _ reason: EvictionReason = .removed, where matches: (Key, TableEntry<Value>) -> Bool
    ) -> Departures {
        // In reverse, because the last entry moves to an index that becomes free.
        entries.rows.indices.reversed().compactMap { at in
            matches(entries[at].key, entries[at].element) ? takeOut(at, reason) : nil
        }
    }

    /// Removes all entries. O(entries).
    package mutating func removeAll(_ reason: EvictionReason = .removed) -> Departures {
        let rows = entries.rows
        (entries, uses) = (GroupedTable(), [])
        (totalCost, hand, earliestExpiry) = (0, 0, nil)
        return rows.map { row in
            counts.add(reason)
            return Departed(key: row.key, entry: row.element, reason: reason)
        }
    }

    /// Removes the entries of a group that satisfy `matches`. O(entries of the group).
    package mutating func removeAll(of group: Key.Group, where matches: (Value) -> Bool = { _ in true }) -> Departures {
        entries.indices(of: group).compactMap { at in
            matches(entries[at].element.value) ? takeOut(at, .removed) : nil
        }
    }

    /// Evicts the least valuable of the entries that the hand examines next; nil when the table is empty.
    package mutating func evictOne(_ reason: EvictionReason) -> Departed<Key, Value>? {
        uses.isEmpty ? nil : takeOut(leastWorthy(), reason)
    }

    // MARK: Entries

    /// The limit that an entry of this cost would exceed; nil when there is room.
    private func shortage(for cost: Int) -> EvictionReason? {
        if totalCost > limits.cost - cost { return .cost }
        return count >= limits.count ? .count : nil
    }

    /// The index of the least valuable entry under the hand. Advances the hand. The table must not be empty.
    private mutating func leastWorthy() -> Int {
        let looks = min(16, uses.count)
        // The last few entries are examined together with some before them.
        let start = min(hand < uses.count ? hand : 0, uses.count - looks)
        hand = start + looks
        return start
            + uses.withUnsafeBufferPointer {
                UseRecord.leastWorthy(of: UnsafeBufferPointer(rebasing: $0[start..<hand]), at: tick)
            }
    }

    /// Removes the entry at an index. The last entry moves there.
    private mutating func takeOut(_ at: Int, _ reason: EvictionReason) -> Departed<Key, Value> {
        uses.takeOut(at)
        let row = entries.takeOut(at)
        totalCost -= row.element.cost
        counts.add(reason)
        return Departed(key: row.key, entry: row.element, reason: reason)
    }

    var leastExpiry: Duration? { entries.rows.lazy.compactMap(\.element.expiry).min() }
}
