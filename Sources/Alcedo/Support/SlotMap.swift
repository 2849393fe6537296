/// Values found by slot number, without a hash; see ``SlotIDs``.
///
/// Several maps may share the ids of one source.
package struct SlotMap<Value> {
    fileprivate struct Entry {
        var generation: UInt32
        var value: Value?
    }

    private var entries: [Entry] = []
    package private(set) var count = 0

    package init() {}

    /// The value of `id`. Another id with the same slot, earlier or later, never matches.
    package subscript(id: SlotID) -> Value? {
        // Lends the value instead of copying it, because callers read only a part of it. A call would allocate a frame.
        @inline(__always) _read {
            if holds(id) { yield entries[id.place].value } else { yield nil }
        }
        set {
            guard let newValue else { return _ = remove(id) }
            while entries.count <= id.place { entries.append(Entry(generation: 0, value: nil)) }
            if entries[id.place].value == nil { count += 1 }
            entries[id.place] = Entry(generation: id.generation, value: newValue)
        }
    }

    /// The value in a slot, whoever owns it.
    subscript(at place: Int) -> Value? {
        @inline(__always) _read { yield entries[place].value }
    }

    /// The id of the value in a slot.
    func id(at place: Int) -> SlotID { SlotID(place: place, generation: entries[place].generation) }

    private func holds(_ id: SlotID) -> Bool {
        id.place < entries.count && entries[id.place].generation == id.generation
    }

    /// Changes the value of `id` in place. Returns nil when there is none.
    package mutating func modify<Result>(_ id: SlotID, _ change: (inout Value) -> Result) -> Result? {
        // Moved out during the change, to avoid copying what it holds.
        guard holds(id), var value = entries[id.place].value.take() else { return nil }
        defer { entries[id.place].value = value }
        return change(&value)
    }

    @discardableResult
    package mutating func remove(_ id: SlotID) -> Value? {
        guard holds(id), let value = entries[id.place].value.take() else { return nil }
        count -= 1
        // Releases the storage, whatever size it had grown to.
        if count == 0, entries.count > 64 { entries = [] }
        return value
    }

    /// All values with their ids, ordered by slot.
    package var contents: [(id: SlotID, value: Value)] {
        entries.enumerated().compactMap { place, entry in
            entry.value.map { (SlotID(place: place, generation: entry.generation), $0) }
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
