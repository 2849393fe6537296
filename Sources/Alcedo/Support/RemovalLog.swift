/// Remembers what was removed, so that a store begun before a removal can't bring it back.
///
/// Code that is going to store takes a ticket when its work begins and presents it with the store. Only the latest
/// removals are remembered. An older ticket is refused for every key, which costs a store but is never wrong.
package struct RemovalLog<Key: Equatable & Sendable>: Sendable {
    /// The moment at which a store's work began.
    package struct Ticket: Sendable, Hashable {
        fileprivate let moment: UInt64

        /// A ticket taken at a moment of the log.
        package init(moment: UInt64) { self.moment = moment }
    }

    private let capacity: Int
    /// The number of removals so far.
    package private(set) var moment: UInt64 = 0
    /// The latest removals. Once the capacity is reached, the next removal replaces the oldest.
    private var latest: [Key] = []
    /// The index of the next removal.
    private var next = 0

    package init(capacity: Int = 1024) { self.capacity = max(1, capacity) }

    package func ticket() -> Ticket { Ticket(moment: moment) }

    /// Whether `key` wasn't removed after the ticket was taken. O(removals since then).
    package func permits(_ ticket: Ticket, _ key: Key) -> Bool {
        guard moment - ticket.moment <= latest.count else { return false }
        var place = next
        for _ in ticket.moment..<moment {
            place = (place == 0 ? latest.count : place) - 1
            if latest[place] == key { return false }
        }
        return true
    }

    package mutating func record(_ key: Key) {
        moment += 1
        if latest.count < capacity { latest.append(key) } else { latest[next] = key }
        next = next + 1 == capacity ? 0 : next + 1
    }

    package mutating func recordAll() {
        moment += 1
        latest = []
        next = 0
    }
}
