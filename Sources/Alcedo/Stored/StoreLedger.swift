import Synchronization

/// A ``LedgerTable`` that is used on any thread.
final class StoreLedger: Sendable {
    typealias Ticket = LedgerTable.Ticket

    private struct State {
        var table: LedgerTable
        /// The changes that wait for earlier ones, by their numbers.
        var waiting: [UInt64: Promise<Void>] = [:]
    }

    private let state: Mutex<State>

    init(_ table: LedgerTable = LedgerTable()) { state = Mutex(State(table: table)) }

    /// A change that has begun.
    struct Change: Sendable {
        fileprivate let number: UInt64
        let ticket: Ticket
        fileprivate let turn: Promise<Void>?

        /// Whether earlier changes of the same source were running when this one began.
        var waits: Bool { turn != nil }

        /// Waits until all earlier changes of the same source have ended. Call this once.
        func isDue() async { if let turn { await turn.value() } }
    }

    /// The number of changes that have begun and not ended.
    var count: Int { state.withLock { $0.table.count } }

    func ticket() -> Ticket { state.withLock { $0.table.ticket() } }

    func permits(_ ticket: Ticket, _ source: UInt64) -> Bool { state.withLock { $0.table.permits(ticket, source) } }

    func permitsReading(_ ticket: Ticket, _ source: UInt64) -> Bool {
        state.withLock { $0.table.permitsReading(ticket, source) }
    }

    func unremoved(_ source: UInt64?) -> LedgerTable.Unremoved { state.withLock { $0.table.unremoved(source) } }

    func clear(_ source: UInt64?) { state.withLock { $0.table.clear(source) } }

    @discardableResult
    func record(_ source: UInt64?) -> Ticket { state.withLock { $0.table.record(source) } }

    /// Begins a change, which must be ended; see ``LedgerTable/begin(_:_:begun:bytes:)``.
    func begin(
        _ kind: LedgerTable.Kind, _ source: UInt64?, begun ticket: Ticket? = nil, bytes: Int = 0
    ) throws(LedgerTable.Refusal) -> Change {
        try state.withLock { state throws(LedgerTable.Refusal) in
            let change = try state.table.begin(kind, source, begun: ticket, bytes: bytes)
            let turn = change.waits ? Promise<Void>() : nil
            state.waiting[change.number] = turn
            return Change(number: change.number, ticket: change.ticket, turn: turn)
        }
    }

    /// Begins a change; nil if it is refused.
    func change(_ kind: LedgerTable.Kind, _ source: UInt64?, begun ticket: Ticket? = nil) -> Change? {
        do throws(LedgerTable.Refusal) {
            return try begin(kind, source, begun: ticket)
        } catch {
            return nil
        }
    }

    /// Ends a change; see ``LedgerTable/end(_:isDone:)``.
    func end(_ change: Change, isDone: Bool = true) {
        let due = state.withLock { state in
            state.table.end(change.number, isDone: isDone).compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for turn in due { turn.end(()) }
    }
}
