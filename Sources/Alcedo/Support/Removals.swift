import Synchronization

/// A ``RemovalLog`` that is read on any thread.
final class Removals<Key: Equatable & Sendable>: Sendable {
    typealias Ticket = RemovalLog<Key>.Ticket

    private let log = Mutex(RemovalLog<Key>())
    /// Read without the lock, because each load takes a ticket.
    private let moment = Atomic<UInt64>(0)

    func ticket() -> Ticket { Ticket(moment: moment.load(ordering: .acquiring)) }

    /// Whether a key hasn't been removed since the ticket was taken; see ``RemovalLog/permits(_:_:)``.
    func permits(_ ticket: Ticket, _ key: Key) -> Bool {
        ticket == self.ticket() || log.withLock { $0.permits(ticket, key) }
    }

    func record(_ key: Key) { change { $0.record(key) } }
    func recordAll() { change { $0.recordAll() } }

    private func change(_ change: (inout RemovalLog<Key>) -> Void) {
        log.withLock { log in
            change(&log)
            moment.store(log.moment, ordering: .releasing)
        }
    }
}
