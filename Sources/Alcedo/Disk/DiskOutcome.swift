import Synchronization

/// The outcome of an order to a store's writer thread.
struct DiskOutcome: Sendable {
    enum Effect: Sendable {
        case opened(Result<DiskWork.Opening, FileError>)
        case read(Result<[DiskIndex.Found], FileError>)
        case wrote(StagedWrite, DiskIndex.Plan, DiskWork.WriteOutcome)
        case updated(EntryName, IndexedEntry, DiskIndex.Plan, DiskWork.WriteOutcome)
        case removed(leftovers: [DiskIndex.Item])
        /// Something was moved away to be deleted.
        case discarded(leftovers: [DiskIndex.Item])
        /// The device was synchronized, which failed for some entries.
        case synchronized(failed: Set<EntryName>)
        /// No effect other than reading what other stores have done.
        case done
    }

    let order: UInt64
    /// What other stores did before the order was carried out.
    let changes: IndexFile.ExternalChanges
    let effect: Effect
    /// How far the index file had been read by then.
    let place: IndexFile.Place
    /// Whether the index file is long enough to be worth a new snapshot.
    let isLong: Bool

    /// Whether it can be delivered a little later without harm: a small write that succeeded.
    fileprivate var isUneventful: Bool {
        guard case .wrote(_, _, let write) = effect, let bytes = write.bytes, bytes <= 64 << 10 else { return false }
        return changes.isEmpty && write.leftovers.isEmpty && !isLong
    }
}

/// The outcomes on their way from the writer to the actor, in order.
final class DiskOutcomes: Sendable {
    private struct State {
        var waiting: [DiskOutcome] = []
        var isAwaited = false
        /// The orders whose outcomes are being waited for.
        var wanted: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// - Parameter another: Whether another outcome follows. Scheduling the actor for each small write would take a
    ///   tenth as long as the write itself, so several outcomes are delivered together.
    /// - Returns: Whether the actor has to be scheduled to collect the outcomes. False if it already is, or if that
    ///   isn't necessary yet.
    func post(_ outcome: DiskOutcome, another: Bool) -> Bool {
        state.withLock { state in
            state.waiting.append(outcome)
            let mayWait =
                another && outcome.isUneventful && state.waiting.count < Self.most
                && !state.wanted.contains(outcome.order)
            if state.isAwaited || mayWait { return false }
            state.isAwaited = true
            return true
        }
    }

    /// The maximum number of outcomes delivered together; their bodies are held in memory until then.
    private static let most = 8

    /// Takes all outcomes posted so far. A collection that was scheduled for them then finds none.
    func take() -> [DiskOutcome] {
        state.withLock { state in
            let taken = state.waiting
            state.waiting = []
            state.isAwaited = false
            if let last = taken.last { state.wanted = state.wanted.filter { $0 > last.order } }
            return taken
        }
    }

    /// Requests that an order's outcome be delivered as soon as it is posted. It may have been posted already.
    func want(_ order: UInt64) { state.withLock { _ = $0.wanted.insert(order) } }
}
