/// Values found by slot number, without a hash; see ``SlotIDs``.
///
/// Several maps may share the ids of one source.
package struct SlotMap<Value> {
    fileprivate struct Entry {
        var generation: UInt32 = 0
        var value: Value?
    }

    /// The first one stays empty, for unknown ids. That of a slot is one further than its number.
    private var entries = [Entry()]
    package private(set) var count = 0

    package init() {}

    /// The value of `id`. Another id with the same slot, earlier or later, never matches.
    package subscript(id: SlotID) -> Value? {
        // Lends the value instead of copying it, because callers read only a part of it. With a second `yield`, the
        // compiler wouldn't inline it and would copy the value after all.
        @inline(__always) _read { yield entries[holds(id) ? id.place + 1 : 0].value }
        set {
            if let newValue { insert(newValue, at: id) } else { remove(id) }
        }
    }

    /// Adds the value of `id`, or replaces it.
    package mutating func insert(_ value: consuming Value, at id: SlotID) {
        while entries.count <= id.place + 1 { entries.append(Entry()) }
        if entries[id.place + 1].value == nil { count += 1 }
        entries[id.place + 1].generation = id.generation
        entries[id.place + 1].value = value
    }

    /// The value in a slot, whoever owns it.
    subscript(at place: Int) -> Value? {
        @inline(__always) _read { yield entries[place + 1].value }
    }

    /// The id of the value in a slot.
    func id(at place: Int) -> SlotID { SlotID(place: place, generation: entries[place + 1].generation) }

    @inline(__always) private func holds(_ id: SlotID) -> Bool {
        id.place + 1 < entries.count && entries[id.place + 1].generation == id.generation
    }

    /// Changes the value of `id` in place. Returns nil when there is none.
    package mutating func modify<Result>(_ id: SlotID, _ change: (inout Value) -> Result) -> Result? {
        // Moved out during the change, to avoid copying what it holds.
        guard holds(id), var value = entries[id.place + 1].value.take() else { return nil }
        defer { entries[id.place + 1].value = value }
        return change(&value)
    }

    @discardableResult
    package mutating func remove(_ id: SlotID) -> Value? {
        guard holds(id), let value = entries[id.place + 1].value.take() else { return nil }
        count -= 1
        // Releases the storage, whatever size it had grown to.
        if count == 0, entries.count > 64 { entries = [Entry()] }
        return value
    }

    /// All values with their ids, ordered by slot.
    package var contents: [(id: SlotID, value: Value)] {
        entries.enumerated().compactMap { place, entry in
            entry.value.map { (SlotID(place: place - 1, generation: entry.generation), $0) }
        }
    }
}

extension SlotMap: Sendable where Value: Sendable {}
extension SlotMap.Entry: Sendable where Value: Sendable {}

/// A slot number that is reused after its owner gives it back.
package struct SlotID: Hashable, Sendable {
    let place: Int
    /// Distinguishes successive owners of one slot.
    fileprivate let generation: UInt32
}

/// Hands out slots, reusing returned ones first.
package struct SlotIDs: Sendable {
    private var free: [Int] = []
    private var placeCount = 0
    private var generation: UInt32 = 0

    package init() {}

    package mutating func take() -> SlotID {
        generation &+= 1
        if let place = free.popLast() { return SlotID(place: place, generation: generation) }
        placeCount += 1
        return SlotID(place: placeCount - 1, generation: generation)
    }

    /// Returns `id`, which must be in use, for reuse.
    package mutating func giveBack(_ id: SlotID) {
        free.append(id.place)
        if free.count == placeCount, placeCount > 64 { (free, placeCount) = ([], 0) }
    }
}
