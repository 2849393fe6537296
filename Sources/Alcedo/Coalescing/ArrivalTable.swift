/// Handles that were returned and whose Tasks have not joined their flight yet: they count as waiters already.
///
/// Announced from any thread, so the actor that owns the flights keeps this table beside itself, under a lock. It asks
/// the table when the last waiter leaves a flight, and then holds the flight for those who arrive.
struct ArrivalTable<Key: Hashable & Sendable>: Sendable {
    /// Those announced for one key.
    private struct Expected: Sendable {
        var count = 0
        /// The highest of those announced since the first.
        var priority = RequestPriority.veryLow
        /// Whether a flight has no other waiters.
        var isHeld = false

        mutating func add(_ another: RequestPriority) {
            count += 1
            priority = max(priority, another)
        }
    }

    private var keys: [ArrivalID: Key] = [:]
    private var expected: [Key: Expected] = [:]
    private var lastID: UInt64 = 0

    /// Those that have neither joined nor been withdrawn.
    var count: Int { keys.count }

    /// To be called before the handle is returned; ``join(_:_:)`` or ``withdraw(_:)`` must follow.
    mutating func announce(_ key: Key, _ priority: RequestPriority) -> ArrivalID {
        lastID += 1
        let id = ArrivalID(number: lastID)
        keys[id] = key
        expected[key, default: Expected()].add(priority)
        return id
    }

    /// It has joined a flight. False, and nothing changes, if it was announced for another key, or isn't announced any
    /// more.
    @discardableResult
    mutating func join(_ id: ArrivalID, _ key: Key) -> Bool {
        guard keys[id] == key else { return false }
        _ = withdraw(id)
        return true
    }

    /// It won't arrive any more. Returns the key of the flight to be given up unless it has waiters: nil if others are
    /// announced or no flight was held. May be called any number of times.
    mutating func withdraw(_ id: ArrivalID) -> Key? {
        guard let key = keys.removeValue(forKey: id), var left = expected[key] else { return nil }
        left.count -= 1
        expected[key] = left.count > 0 ? left : nil
        return left.count == 0 && left.isHeld ? key : nil
    }

    /// The last waiter has left: the priority to hold the flight with, nil when nobody is announced.
    mutating func hold(_ key: Key) -> RequestPriority? {
        // Mostly empty, as handles arrive a moment after they were returned.
        guard !expected.isEmpty, let priority = expected[key]?.priority else { return nil }
        expected[key]?.isHeld = true
        return priority
    }

    /// Why the table contradicts itself, nil when it does not; for tests.
    var brokenInvariant: String? {
        if expected.values.contains(where: { $0.count < 1 }) {
            return "a key is kept that nobody is announced for"
        }
        var counts: [Key: Int] = [:]
        for key in keys.values { counts[key, default: 0] += 1 }
        return counts == expected.mapValues(\.count) ? nil : "the announced are miscounted"
    }
}

/// Names an announced handle in one ``ArrivalTable``.
struct ArrivalID: Hashable, Sendable { fileprivate let number: UInt64 }

/// Where a handle is announced.
struct Arrival: Sendable {
    /// At the image flights; nil for a handle that loads bytes only.
    var image: ArrivalID?
    /// At the downloads.
    var download: ArrivalID?
}
