/// Handles that were returned and have not joined their flight yet. They already count as waiters.
///
/// Handles are announced from any thread, so this table isn't part of the state of the actor that owns the flights; it
/// is protected by a lock. The actor consults the table when the last waiter leaves a flight, and then holds the flight
/// for the announced handles.
struct ArrivalTable<Key: PrehashedKey>: Sendable {
    /// The handles announced for one key.
    private struct Expected: Sendable {
        let key: Key
        var count = 1
        /// The highest priority announced since the first handle.
        var priority: RequestPriority
        /// Whether there is a flight without other waiters.
        var isHeld = false
    }

    /// By handle: the key that it is announced for, as a place among those.
    private var handles = SlotMap<SlotID>()
    private var handleIDs = SlotIDs()
    private var keys = SlotMap<Expected>()
    private var keyIDs = SlotIDs()
    /// The keys by their hashes.
    private var index = SlotIndex()

    /// The number of handles that have neither joined nor been withdrawn.
    var count: Int { handles.count }

    /// Announces a handle before it is returned. ``join(_:_:)`` or ``withdraw(_:)`` must follow.
    mutating func announce(_ key: Key, _ priority: RequestPriority) -> ArrivalID {
        let handle = handleIDs.take()
        if let place = place(of: key) {
            keys.modify(place) {
                $0.count += 1
                $0.priority = max($0.priority, priority)
            }
            handles[handle] = place
        } else {
            handles[handle] = insert(Expected(key: key, priority: priority))
        }
        return ArrivalID(slot: handle)
    }

    /// Marks that the handle has joined a flight. Returns false, and changes nothing, if it was announced for another
    /// key or is no longer announced.
    @discardableResult
    mutating func join(_ id: ArrivalID, _ key: Key) -> Bool {
        guard let place = handles[id.slot], keys[place]?.key == key else { return false }
        _ = withdraw(id)
        return true
    }

    /// Marks that the handle won't arrive. Returns the key of the flight to give up unless it has waiters, or nil if
    /// others are announced or no flight was held. May be called any number of times.
    mutating func withdraw(_ id: ArrivalID) -> Key? {
        guard let place = handles.remove(id.slot) else { return nil }
        handleIDs.giveBack(id.slot)
        let isLast = keys.modify(place) { expected in
            expected.count -= 1
            return expected.count == 0
        }
        guard isLast == true, let last = remove(place) else { return nil }
        return last.isHeld ? last.key : nil
    }

    /// Whether a handle is announced for the key.
    func isExpected(_ key: Key) -> Bool { place(of: key) != nil }

    /// Called when the last waiter has left. Returns the priority to hold the flight with, or nil when nobody is
    /// announced.
    mutating func hold(_ key: Key) -> RequestPriority? {
        place(of: key).flatMap { place in
            keys.modify(place) { expected in
                expected.isHeld = true
                return expected.priority
            }
        }
    }

    private func place(of key: Key) -> SlotID? {
        // Mostly empty, because handles arrive a moment after they are returned.
        if keys.count == 0 { return nil }
        return index.place(of: key.slotHash) { keys[at: $0]?.key == key }.map(keys.id(at:))
    }

    private mutating func insert(_ expected: Expected) -> SlotID {
        if index.isFull(count: keys.count) { rebuildIndex() }
        let place = keyIDs.take()
        index.insert(expected.key.slotHash, at: place.place)
        keys[place] = expected
        return place
    }

    private mutating func remove(_ place: SlotID) -> Expected? {
        guard let expected = keys.remove(place) else { return nil }
        keyIDs.giveBack(place)
        index.remove(expected.key.slotHash, at: place.place)
        if index.isWasteful(count: keys.count) { rebuildIndex() }
        return expected
    }

    private mutating func rebuildIndex() {
        index = SlotIndex(count: 2 * keys.count)
        for (place, expected) in keys.contents { index.insert(expected.key.slotHash, at: place.place) }
    }

    /// Describes a broken invariant, or nil when there is none; for tests.
    var brokenInvariant: String? {
        if let problem = index.brokenInvariant(count: keys.count) { return problem }
        var counts: [SlotID: Int] = [:]
        for (_, place) in handles.contents { counts[place, default: 0] += 1 }
        for (place, expected) in keys.contents {
            if self.place(of: expected.key) != place { return "a key isn't found, or is there twice" }
            if counts[place] != expected.count { return "the announced are miscounted" }
        }
        return counts.count == keys.count ? nil : "a handle is announced for no key"
    }
}

/// Identifies an announced handle in one ``ArrivalTable``.
struct ArrivalID: Hashable, Sendable { fileprivate let slot: SlotID }
