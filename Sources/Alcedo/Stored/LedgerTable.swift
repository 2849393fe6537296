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
        /// Removes what look-ups don't find anyway. It waits for no other change, and none for it.
        case upkeep

        /// Whether look-ups find nothing while the change runs, or once it has failed.
        var hides: Bool { self == .removal || self == .clearing }
    }

    /// Why a change doesn't begin.
    enum Refusal: Error, Equatable, CustomStringConvertible {
        /// Its source was removed or replaced since its ticket was taken.
        case outdated
        /// Too many others have begun and not ended.
        case full(count: Int, bytes: Int)

        var description: String {
            switch self {
            case .outdated: "its source was removed"
            case .full(let count, let bytes): "\(count) changes with \(bytes) bytes wait for the store already"
            }
        }
    }

    private struct Running: Sendable {
        /// The source that changes; nil if all may.
        let source: UInt64?
        let kind: Kind
        let bytes: Int
        /// The number of earlier changes for which it waits.
        var predecessors: Int
        /// The later changes that wait for it.
        var successors: [UInt64] = []
    }

    private let byteLimit: Int
    private let countLimit: Int
    private var log = RemovalLog<UInt64>()
    private var lastNumber: UInt64 = 0
    private var running: [UInt64: Running] = [:]
    /// The last change of each source that hasn't ended and began after the last one of all sources.
    private var last: [UInt64: UInt64] = [:]
    /// The last change of all sources, if it hasn't ended.
    private var lastOfAll: UInt64?
    /// The numbers of changes that hide their sources.
    private var hiding: [UInt64?: Int] = [:]
    /// Sources of which an entry couldn't be removed. They must be cleared before anything else of them is used.
    private var unremoved: Set<UInt64> = []
    /// Whether removing all entries failed.
    private var isUnremoved = false
    /// The bytes of all changes that have begun and not ended.
    private(set) var heldBytes = 0

    /// - Parameters:
    ///   - byteLimit: The bytes that all changes may hold together. A larger change begins if no other holds any.
    ///   - countLimit: The number of changes that may have begun and not ended.
    init(byteLimit: Int = 64 << 20, countLimit: Int = 16_384) {
        (self.byteLimit, self.countLimit) = (byteLimit, countLimit)
    }

    /// The number of changes that have begun and not ended.
    var count: Int { running.count }

    func ticket() -> Ticket { log.ticket() }

    /// Whether a source wasn't removed or replaced since the ticket was taken.
    func permits(_ ticket: Ticket, _ source: UInt64) -> Bool { log.permits(ticket, source) }

    /// Whether what was read since the ticket was taken may be used.
    func permitsReading(_ ticket: Ticket, _ source: UInt64) -> Bool {
        log.permits(ticket, source) && !isUnremoved && !unremoved.contains(source)
            && hiding[source] == nil && hiding[nil] == nil
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

    /// Begins a change. If a removal is refused because there are too many changes, look-ups find no entry of its
    /// source until the source has been cleared.
    ///
    /// - Parameters:
    ///   - source: The source that changes; nil if all may.
    ///   - ticket: Nil if the change depends on nothing earlier.
    ///   - bytes: The bytes that the change holds until it ends.
    mutating func begin(
        _ kind: Kind, _ source: UInt64?, begun ticket: Ticket? = nil, bytes: Int = 0
    ) throws(Refusal) -> Change {
        if let ticket, let source, !log.permits(ticket, source) { throw .outdated }
        let fits = bytes == 0 || heldBytes == 0 || heldBytes <= byteLimit - bytes
        guard fits, running.count < countLimit else {
            if kind.hides {
                _ = record(source)
                keep(source)
            }
            throw .full(count: running.count, bytes: heldBytes)
        }
        switch kind {
        case .removal, .clearing, .replacement: _ = record(source)
        case .write, .upkeep: break
        }
        lastNumber += 1
        let predecessors = kind == .upkeep ? [] : follow(source)
        for number in predecessors { running[number]?.successors.append(lastNumber) }
        running[lastNumber] = Running(source: source, kind: kind, bytes: bytes, predecessors: predecessors.count)
        if kind.hides { hiding[source, default: 0] += 1 }
        heldBytes += bytes
        return Change(number: lastNumber, ticket: log.ticket(), waits: !predecessors.isEmpty)
    }

    /// Makes the newest change the last one of a source. Returns the changes after which it is carried out, which
    /// themselves wait for all earlier ones.
    private mutating func follow(_ source: UInt64?) -> [UInt64] {
        guard let source else {
            defer { (last, lastOfAll) = ([:], lastNumber) }
            return last.isEmpty ? lastOfAll.map { [$0] } ?? [] : last.values.sorted()
        }
        defer { last[source] = lastNumber }
        return (last[source] ?? lastOfAll).map { [$0] } ?? []
    }

    /// Ends a change. Returns the numbers of the changes that can be carried out now.
    ///
    /// - Parameter isDone: False for a change that failed. After a removal that failed, look-ups find no entry of the
    ///   source until the source has been cleared.
    mutating func end(_ number: UInt64, isDone: Bool = true) -> [UInt64] {
        guard let ended = running.removeValue(forKey: number) else { return [] }
        heldBytes -= ended.bytes
        if let source = ended.source, last[source] == number { last[source] = nil }
        if lastOfAll == number { lastOfAll = nil }
        if ended.kind.hides {
            let others = hiding[ended.source, default: 1] - 1
            hiding[ended.source] = others > 0 ? others : nil
        }
        switch ended.kind {
        case .removal, .clearing:
            if !isDone { keep(ended.source) } else if ended.kind == .clearing { clear(ended.source) }
        // Entries are selected while this runs, so what began meanwhile may come from an entry that is now removed.
        case .replacement: if ended.source == nil { _ = record(nil) }
        case .write, .upkeep: break
        }
        return ended.successors.filter { successor in
            running[successor]?.predecessors -= 1
            return running[successor]?.predecessors == 0
        }
    }

    private mutating func keep(_ source: UInt64?) {
        if let source { unremoved.insert(source) } else { isUnremoved = true }
    }
}
