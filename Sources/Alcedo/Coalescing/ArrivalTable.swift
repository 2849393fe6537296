/// Handles that were returned and whose Tasks have not joined their flight yet. They already count as waiters.
///
/// Handles are announced from any thread, so this table isn't part of the state of the actor that owns the flights; it
/// is protected by a lock. The actor consults the table when the last waiter leaves a flight, and then holds the flight
/// for the announced handles.
struct ArrivalTable<Key: Hashable & Sendable>: Sendable {
    /// The handles announced for one key.
    private struct Expected: Sendable {
        var count = 0
        /// The highest priority announced since the first handle.
        var priority = RequestPriority.veryLow
        /// Whether there is a flight without other waiters.
        var isHeld = false

        mutating func add(_ another: RequestPriority) {
            count += 1
            priority = max(priority, another)
        }
    }

    private var keys: [ArrivalID: Key] = [:]
    private var expected: [Key: Expected] = [:]
    private var lastID: UInt64 = 0

    /// The number of handles that have neither joined nor been withdrawn.
    var count: Int { keys.count }

    /// Announces a handle before it is returned. ``join(_:_:)`` or ``withdraw(_:)`` must follow.
    mutating func announce(_ key: Key, _ priority: RequestPriority) -> ArrivalID {
        lastID += 1
        let id = ArrivalID(number: lastID)
        keys[id] = key
        expected[key, default: Expected()].add(priority)
        return id
    }

    /// Marks that the handle has joined a flight. Returns false, and changes nothing, if it was announced for another
    /// key or is no longer announced.
    @discardableResult
    mutating func join(_ id: ArrivalID, _ key: Key) -> Bool {
        guard keys[id] == key else { return false }
        _ = withdraw(id)
        return true
    }

    /// Marks that the handle won't arrive. Returns the key of the flight to give up unless it has waiters, or nil if
    /// others are announced or no flight was held. May be called any number of times.
    mutating func withdraw(_ id: ArrivalID) -> Key? {
        guard let key = keys.removeValue(forKey: id), var left = expected[key] else { return nil }
        left.count -= 1
        expected[key] = left.count > 0 ? left : nil
        return left.count == 0 && left.isHeld ? key : nil
    }

    /// Whether a handle is announced for the key.
    func isExpected(_ key: Key) -> Bool { expected[key] != nil }

    /// Called when the last waiter has left. Returns the priority to hold the flight with, or nil when nobody is
    /// announced.
    mutating func hold(_ key: Key) -> RequestPriority? {
        // Mostly empty, because handles arrive a moment after they are returned.
        guard !expected.isEmpty, let priority = expected[key]?.priority else { return nil }
        expected[key]?.isHeld = true
        return priority
    }

    /// Describes a broken invariant, or nil when there is none; for tests.
    var brokenInvariant: String? {
        if expected.values.contains(where: { $0.count < 1 }) {
            return "a key is kept that nobody is announced for"
        }
        var counts: [Key: Int] = [:]
        for key in keys.values { counts[key, default: 0] += 1 }
        return counts == expected.mapValues(\.count) ? nil : "the announced are miscounted"
    }
}

/// Identifies an announced handle in one ``ArrivalTable``.
struct ArrivalID: Hashable, Sendable { fileprivate let number: UInt64 }

/// Where a handle is announced. An object, so that what has none is small.
final class Arrival: Sendable {
    /// Among the image flights; nil for a handle that loads bytes only.
    let image: ArrivalID?
    /// Among the downloads.
    let download: ArrivalID?

    init(image: ArrivalID? = nil, download: ArrivalID? = nil) {
        self.image = image
        self.download = download
    }
}
