/// The entries of a cache, each with a cost, the sum of which never exceeds a limit.
///
/// Room is made by a hand that rotates over the entries: of the next 16 the one goes that is worth the least, by uses,
/// idle time and size (`Docs/Decisions/0012-what-memory-forgets.md`). No lists are kept, so a hit only writes two
/// numbers. What is asked often lies together: the index, and what the hand looks at, apart from keys and values.
///
/// Each event is O(1), amortised, unless it says otherwise. Moments are times since an origin of the caller's choice; a
/// clock that goes backwards makes entries that were over valid again, and no more. The default of a moment is read
/// for entries that can expire only.
package struct EvictionTable<Key: FoldedKey, Value: Sendable>: Sendable {
    /// What a store did.
    package struct Outcome: Sendable {
        /// Whether the value is in the table now.
        package let isTaken: Bool
        /// What left for it.
        package let departures: Departures<Key, Value>
    }

    // What a hit writes comes first, to lie beside the lock that the table is behind: another core that hits needs both.

    /// Counts look-ups and stores; idle time is measured in it, as what matters is what else was asked for meanwhile.
    private var tick: UInt32 = 0
    package private(set) var counts = EvictionCounts()
    package private(set) var limits: EvictionLimits
    package private(set) var totalCost = 0
    /// No entry expires before this; nil when none ever does. It may be earlier than needed, as entries leave.
    package private(set) var earliestExpiry: Duration?

    private struct Entry: Sendable {
        let key: Key
        let hash: UInt64
        let cost: Int
        let value: Value
        /// The end of its time; for entries that are marked only.
        let expiry: Duration
    }

    private var entries: [Entry] = []
    /// What the hand looks at, entry by entry.
    private var uses: [UseRecord] = []
    private var index = SlotIndex()
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
        guard let at = place(of: key), !uses[at].expires || now() < entries[at].expiry else {
            counts.misses += 1
            return nil
        }
        counts.hits += 1
        tick &+= 1
        uses[at].record(tick)
        return entries[at].value
    }

    /// Whether a look-up would find `key`; records nothing.
    package func contains(_ key: Key, now: @autoclosure () -> Duration) -> Bool {
        guard let at = place(of: key) else { return false }
        return !uses[at].expires || now() < entries[at].expiry
    }

    /// Calls `body` with all entries, in no order, those whose time is over too. O(entries).
    package func forEach(_ body: (_ key: Key, _ value: Value, _ cost: Int) -> Void) {
        for at in entries.indices { body(entries[at].key, entries[at].value, entries[at].cost) }
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
        let earlier = place(of: key)
        var departures = Departures<Key, Value>()
        guard limits.admits(cost), expiry.map({ now() < $0 }) ?? true else {
            if let earlier { departures.append(takeOut(earlier, .replaced)) }
            return Outcome(isTaken: false, departures: departures)
        }
        tick &+= 1
        counts.stores += 1
        if let expiry { earliestExpiry = min(expiry, earliestExpiry ?? expiry) }
        let entry = Entry(
            key: key, hash: SlotIndex.hash(key.fold), cost: cost, value: value, expiry: expiry ?? .zero)
        let use = UseRecord(
            cost: cost, meanCost: Float(totalCost) / Float(max(1, count)), tick: tick, expires: expiry != nil,
            earlier: earlier.map { uses[$0] })
        if let earlier {
            if totalCost - entries[earlier].cost <= limits.cost - cost {
                departures.append(exchange(earlier, entry, use, .replaced))
                return Outcome(isTaken: true, departures: consume departures)
            }
            departures.append(takeOut(earlier, .replaced))
        }
        while let shortage = shortage(for: cost) {
            let victim = leastWorthy()
            // The last one to go gives its place too, so nothing is moved.
            if totalCost - entries[victim].cost <= limits.cost - cost {
                departures.append(exchange(victim, entry, use, shortage))
                return Outcome(isTaken: true, departures: consume departures)
            }
            departures.append(takeOut(victim, shortage))
        }
        append(entry, use)
        return Outcome(isTaken: true, departures: consume departures)
    }

    // MARK: Less

    /// Changes the limits; what is too much leaves. O(entries) where the limit of an entry's cost becomes smaller.
    package mutating func setLimits(_ new: EvictionLimits) -> Departures<Key, Value> {
        let old = limits
        limits = new
        var departures = Departures<Key, Value>()
        if !new.admits(0) {
            takeOutAll(new.count == 0 ? .count : .cost, into: &departures)
        } else if new.entryCost < old.entryCost {
            takeOut(.cost, into: &departures) { _, entry in entry.cost > new.entryCost }
        }
        while count > limits.count { departures.append(takeOut(leastWorthy(), .count)) }
        while totalCost > limits.cost { departures.append(takeOut(leastWorthy(), .cost)) }
        return departures
    }

    /// Evicts until the costs come to no more than `cost`; the limits stay. O(evicted).
    package mutating func trim(toCost cost: Int) -> Departures<Key, Value> {
        var departures = Departures<Key, Value>()
        while totalCost > max(0, cost) { departures.append(takeOut(leastWorthy(), .trim)) }
        return departures
    }

    /// Evicts until there are no more than `count` entries; the limits stay. O(evicted).
    package mutating func trim(toCount count: Int) -> Departures<Key, Value> {
        var departures = Departures<Key, Value>()
        while self.count > max(0, count) { departures.append(takeOut(leastWorthy(), .trim)) }
        return departures
    }

    /// Evicts until no more than this part is left of what the costs come to now: nothing from zero downwards (or not a
    /// number), all from one upwards. O(evicted).
    package mutating func trim(toFraction fraction: Double) -> Departures<Key, Value> {
        guard fraction > 0 else {
            var departures = Departures<Key, Value>()
            takeOutAll(.trim, into: &departures)
            return departures
        }
        return fraction < 1 ? trim(toCost: Int(Double(totalCost) * fraction)) : Departures<Key, Value>()
    }

    /// Takes out what has expired by `now`. O(1) before the earliest expiry, else O(entries).
    package mutating func removeExpired(now: Duration) -> Departures<Key, Value> {
        var departures = Departures<Key, Value>()
        guard let earliest = earliestExpiry, earliest <= now else { return departures }
        takeOut(.expired, into: &departures) { uses, entry in uses.expires && entry.expiry <= now }
        earliestExpiry = leastExpiry()
        return departures
    }

    /// Takes an entry out, nil when there is none.
    @discardableResult
    package mutating func remove(_ key: Key) -> Departed<Key, Value>? { place(of: key).map { takeOut($0, .removed) } }

    /// Takes out the entries that satisfy `matches`, which must not fail for one it was asked before. O(entries).
    package mutating func removeAll(where matches: (Key, Value) -> Bool) -> Departures<Key, Value> {
        var departures = Departures<Key, Value>()
        takeOut(.removed, into: &departures) { _, entry in matches(entry.key, entry.value) }
        return departures
    }

    /// Takes out everything. O(entries).
    @discardableResult
    package mutating func removeAll() -> Departures<Key, Value> {
        var departures = Departures<Key, Value>()
        takeOutAll(.removed, into: &departures)
        return departures
    }

    // MARK: Tables that share their limits

    /// An entry that may be evicted, until the next change of the table; look-ups do not change it.
    package struct Candidate: Sendable {
        fileprivate let place: Int
        /// What it is worth, only to be compared.
        package let worth: Int32
        /// How many entries it is the least worthy of.
        package let looks: Int
    }

    /// What this table would evict next, nil when it is empty.
    package mutating func candidate() -> Candidate? {
        if entries.isEmpty { return nil }
        let choice = choose()
        return Candidate(place: choice.place, worth: choice.worth, looks: choice.looks)
    }

    package mutating func evict(_ candidate: Candidate, _ reason: EvictionReason) -> Departed<Key, Value> {
        takeOut(candidate.place, reason)
    }

    /// The cost of an entry, nil when there is none; records nothing.
    package func cost(of key: Key) -> Int? { place(of: key).map { entries[$0].cost } }

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
        if entries.contains(where: { !limits.admits($0.cost) }) { return "an entry is not admitted" }
        if entries.reduce(0, { $0 + $1.cost }) != totalCost { return "the costs do not add up" }
        if uses.count != entries.count { return "entries and their uses differ in number" }
        if let least = leastExpiry(), earliestExpiry.map({ $0 > least }) ?? true { return "an expiry is not known" }
        if let problem = index.brokenInvariant(count: count) { return problem }
        return entries.indices.allSatisfy { place(of: entries[$0].key) == $0 } ? nil : "an entry is not found"
    }

    // MARK: Entries

    @inline(__always)
    private func place(of key: Key) -> Int? {
        index.place(of: SlotIndex.hash(key.fold)) { entries[$0].key == key }
    }

    /// The limit that an entry of this cost would break, nil when there is room.
    private func shortage(for cost: Int) -> EvictionReason? {
        if totalCost > limits.cost - cost { return .cost }
        return count >= limits.count ? .count : nil
    }

    /// Of those under the hand the one that is worth the least; the hand goes on. There must be an entry.
    private mutating func leastWorthy() -> Int { choose().place }

    private mutating func choose() -> (place: Int, worth: Int32, looks: Int) {
        let looks = min(16, uses.count)
        // The last ones are looked at together with some before them.
        let start = min(hand < uses.count ? hand : 0, uses.count - looks)
        hand = start + looks
        return uses.withUnsafeBufferPointer { uses in
            let choice = UseRecord.leastWorthy(
                of: UnsafeBufferPointer(rebasing: uses[start..<start + looks]), at: tick)
            return (start + choice.place, choice.worth, looks)
        }
    }

    private mutating func append(_ entry: Entry, _ use: UseRecord) {
        if index.isFull(count: count) { rebuildIndex() }
        index.insert(entry.hash, at: count)
        entries.append(entry)
        uses.append(use)
        totalCost += entry.cost
    }

    /// Puts an entry in the place of one that leaves.
    private mutating func exchange(
        _ at: Int, _ entry: consuming Entry, _ use: UseRecord, _ reason: EvictionReason
    ) -> Departed<Key, Value> {
        let hash = entry.hash
        let expires = uses[at].expires
        uses[at] = use
        totalCost += entry.cost - entries[at].cost
        swap(&entries[at], &entry)
        let leaving = entry
        if leaving.hash != hash { index.replace(leaving.hash, by: hash, at: at) }
        counts.add(reason)
        return departed(consume leaving, expires: expires, reason)
    }

    /// Takes out the entry at a place, which the last one takes.
    private mutating func takeOut(_ at: Int, _ reason: EvictionReason) -> Departed<Key, Value> {
        let last = count - 1
        index.remove(entries[at].hash, at: at)
        let expires = uses[at].expires
        if at < last {
            index.move(entries[last].hash, from: last, to: at)
            entries.swapAt(at, last)
            uses[at] = uses[last]
        }
        uses.removeLast()
        let entry = entries.removeLast()
        totalCost -= entry.cost
        counts.add(reason)
        if index.isWasteful(count: count) { giveBackRoom() }
        return departed(consume entry, expires: expires, reason)
    }

    private func departed(
        _ entry: consuming Entry, expires: Bool, _ reason: EvictionReason
    ) -> Departed<Key, Value> {
        Departed(
            key: entry.key, value: entry.value, cost: entry.cost, expiry: expires ? entry.expiry : nil, reason: reason)
    }

    private mutating func takeOut(
        _ reason: EvictionReason, into departures: inout Departures<Key, Value>,
        where matches: (UseRecord, Entry) -> Bool
    ) {
        // From the end, as the last one takes a place that becomes free.
        for at in entries.indices.reversed() where matches(uses[at], entries[at]) {
            departures.append(takeOut(at, reason))
        }
    }

    private mutating func takeOutAll(_ reason: EvictionReason, into departures: inout Departures<Key, Value>) {
        for at in entries.indices {
            counts.add(reason)
            departures.append(departed(entries[at], expires: uses[at].expires, reason))
        }
        entries = []
        uses = []
        index = SlotIndex()
        totalCost = 0
        hand = 0
        earliestExpiry = nil
    }

    private func leastExpiry() -> Duration? {
        var least: Duration?
        for at in entries.indices where uses[at].expires {
            least = min(least ?? entries[at].expiry, entries[at].expiry)
        }
        return least
    }

    private mutating func rebuildIndex() {
        index = SlotIndex(count: 2 * count)
        for at in entries.indices { index.insert(entries[at].hash, at: at) }
    }

    /// Arrays keep what they once held; new ones hold what is needed.
    private mutating func giveBackRoom() {
        rebuildIndex()
        var (entries, uses): ([Entry], [UseRecord]) = ([], [])
        entries.reserveCapacity(2 * count)
        uses.reserveCapacity(2 * count)
        entries += self.entries
        uses += self.uses
        (self.entries, self.uses) = (entries, uses)
    }
}
