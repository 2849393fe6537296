/// Remembers what was removed, so that a store begun before a removal can't bring it back.
///
/// Code that is going to store takes a ticket when its work begins and presents it with the store. Only the latest
/// removals are remembered one by one. A ticket from before them is refused for every key, which costs a store but is
/// never wrong.
package struct RemovalLog<Key: Hashable & Sendable>: Sendable {
    /// The moment at which a store's work began.
    package struct Ticket: Sendable, Hashable {
        fileprivate let moment: UInt64

        /// A ticket taken at a moment of the log.
        package init(moment: UInt64) { self.moment = moment }
    }

    private let capacity: Int
    /// The number of removals so far.
    package private(set) var moment: UInt64 = 0
    /// Tickets from before this moment are refused for every key.
    private var floor: UInt64 = 0
    private var removedAt: [Key: UInt64] = [:]
    /// The removals in order. A repeated one is listed again.
    private var order: [(key: Key, moment: UInt64)] = []

    package init(capacity: Int = 1024) {
        self.capacity = max(1, capacity)
    }

    package func ticket() -> Ticket { Ticket(moment: moment) }

    package func permits(_ ticket: Ticket, _ key: Key) -> Bool {
        ticket.moment >= floor && ticket.moment >= removedAt[key] ?? 0
    }

    package mutating func record(_ key: Key) {
        moment += 1
        removedAt[key] = moment
        order.append((key, moment))
        if order.count > 2 * capacity { forgetOldest() }
    }

    package mutating func recordAll() {
        moment += 1
        floor = moment
        removedAt.removeAll()
        order.removeAll()
    }

    private mutating func forgetOldest() {
        for removal in order.prefix(capacity) {
            floor = removal.moment
            if removedAt[removal.key] == removal.moment { removedAt[removal.key] = nil }
        }
        order.removeFirst(capacity)
    }
}
