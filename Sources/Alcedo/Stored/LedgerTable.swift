/// Orders the changes of a store, so that what was removed is neither found nor stored again.
///
/// Changes of one source run one after the other, in the order in which they began, because a store may carry out two
/// at once in any order. Sources are identified by their digests: if two have the same digest, removing one also hides
/// the other for a moment, and invalidates its tickets, which costs a download.
struct LedgerTable: Sendable {
    typealias Ticket = RemovalLog<UInt64>.Ticket

    /// A change that has begun.
    struct Change: Sendable, Equatable {
        let number: UInt64
        /// Taken when the change began, for changes that follow from it.
        let ticket: Ticket
        /// Whether earlier changes must end first.
        let waits: Bool
    }

    enum Kind: Sendable {
        /// Stores an entry.
        case write
        /// Stores an entry that earlier work can't replace.
        case replacement
        /// Removes an entry and what was made from it. Look-ups don't find any entry of its source meanwhile.
        case removal
        /// Removes all entries of a source, or all entries. Look-ups don't find them from now on.
        case clearing
    }

    private struct Running: Sendable {
        /// The source that changes; nil if all may.
        let source: UInt64?
        let kind: Kind
        let bytes: Int
        /// The earlier changes that haven't ended.
        var predecessors: Set<UInt64>

        func overlaps(_ other: UInt64?) -> Bool {
            guard let source, let other else { return true }
            return source == other
        }
    }

    private var log = RemovalLog<UInt64>()
    private var lastNumber: UInt64 = 0
    private var running: [UInt64: Running] = [:]
    /// Sources of which an entry couldn't be removed. They must be cleared before anything else of them is used.
    private var unremoved: Set<UInt64> = []
    /// Whether removing all entries failed.
    private var isUnremoved = false
    /// The bytes of all changes that have begun and not ended.
    private(set) var heldBytes = 0

    /// The number of changes that have begun and not ended.
    var count: Int { running.count }

    func ticket() -> Ticket { log.ticket() }

    /// Whether a source wasn't removed or replaced since the ticket was taken.
    func permits(_ ticket: Ticket, _ source: UInt64) -> Bool { log.permits(ticket, source) }

    /// Whether what was read since the ticket was taken may be used.
    func permitsReading(_ ticket: Ticket, _ source: UInt64) -> Bool {
        log.permits(ticket, source) && !isUnremoved && !unremoved.contains(source)
            && !running.values.contains {
                ($0.kind == .removal || $0.kind == .clearing) && $0.source ?? source == source
            }
    }

    /// What earlier removals failed to remove, and what a change of a source must remove first.
    enum Unremoved: Sendable, Equatable {
        case nothing, source, all
    }

    /// - Parameter source: The source that is about to change; nil if all may.
    func unremoved(_ source: UInt64?) -> Unremoved {
        if isUnremoved { return .all }
        return source.map { unremoved.contains($0) ? .source : .nothing } ?? .nothing
    }

    /// Records that a source has been cleared; nil for all sources.
    mutating func clear(_ source: UInt64?) {
        if let source { unremoved.remove(source) } else { (unremoved, isUnremoved) = ([], false) }
    }

    /// Records that what began earlier must not be stored; nil for all sources.
    mutating func record(_ source: UInt64?) -> Ticket {
        if let source { log.record(source) } else { log.recordAll() }
        return log.ticket()
    }

    /// Begins a change. Returns nil if its source was removed or replaced since `ticket` was taken.
    ///
    /// - Parameters:
    ///   - source: The source that changes; nil if all may.
    ///   - ticket: Nil if the change depends on nothing earlier.
    ///   - bytes: The bytes that the change holds until it ends.
    mutating func begin(_ kind: Kind, _ source: UInt64?, begun ticket: Ticket? = nil, bytes: Int = 0) -> Change? {
        if let ticket, let source, !log.permits(ticket, source) { return nil }
        if kind != .write { _ = record(source) }
        lastNumber += 1
        let predecessors = running.filter { $0.value.overlaps(source) }.keys
        running[lastNumber] = Running(source: source, kind: kind, bytes: bytes, predecessors: Set(predecessors))
        heldBytes += bytes
        return Change(number: lastNumber, ticket: log.ticket(), waits: !predecessors.isEmpty)
    }

    /// Ends a change. Returns the numbers of the changes that can be carried out now.
    ///
    /// - Parameter isDone: False for a change that failed. After a removal that failed, look-ups find no entry of the
    ///   source until the source has been cleared.
    mutating func end(_ number: UInt64, isDone: Bool = true) -> [UInt64] {
        guard let ended = running.removeValue(forKey: number) else { return [] }
        heldBytes -= ended.bytes
        switch ended.kind {
        case .removal, .clearing:
            if !isDone { keep(ended.source) } else if ended.kind == .clearing { clear(ended.source) }
        // Entries are selected while this runs, so what began meanwhile may come from an entry that is now removed.
        case .replacement: if ended.source == nil { _ = record(nil) }
        case .write: break
        }
        var ready: [UInt64] = []
        for (other, change) in running where change.predecessors.contains(number) {
            running[other]?.predecessors.remove(number)
            if change.predecessors.count == 1 { ready.append(other) }
        }
        return ready.sorted()
    }

    private mutating func keep(_ source: UInt64?) {
        if let source { unremoved.insert(source) } else { isUnremoved = true }
    }
}
