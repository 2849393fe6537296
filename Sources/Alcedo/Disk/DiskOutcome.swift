import Synchronization

/// What has come of an order to a store's writing thread.
struct DiskOutcome: Sendable {
    enum Effect: Sendable {
        case opened(Result<DiskWork.Opening, FileError>)
        case read(Result<[DiskIndex.Found], FileError>)
        case wrote(StagedWrite, DiskIndex.Plan, DiskWork.WriteOutcome)
        case updated(EntryName, IndexedEntry, DiskIndex.Plan, DiskWork.WriteOutcome)
        case removed(leftovers: [DiskIndex.Item])
        /// Something was moved away, to be deleted.
        case discarded(leftovers: [DiskIndex.Item])
        /// The device was waited for, in vain for some entries.
        case synchronized(failed: Set<EntryName>)
        /// Nothing but what others had to tell.
        case done
    }

    let order: UInt64
    /// What others have done, before the order was carried out.
    let changes: IndexFile.ExternalChanges
    let effect: Effect
    /// How far the index file has been taken in with this.
    let place: IndexFile.Place
    /// Whether the index file is worth a new snapshot.
    let isLong: Bool

    /// Whether nobody is worse off when it is taken a little later: a small write that went well.
    fileprivate var isUneventful: Bool {
        guard case .wrote(_, _, let write) = effect, let bytes = write.bytes, bytes <= 64 << 10 else { return false }
        return changes.isEmpty && write.leftovers.isEmpty && !isLong
    }
}

/// The outcomes of a writer on their way to the actor, in their order.
final class DiskOutcomes: Sendable {
    private struct State {
        var waiting: [DiskOutcome] = []
        var isAwaited = false
        /// Orders whose outcomes somebody waits for.
        var wanted: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// - Parameter another: whether another one follows. To send for the outcome of each small write takes a tenth as
    ///   long as to make it, so some are taken together.
    /// - Returns: whether somebody has to be sent for it; there is one on the way otherwise, or nobody is needed yet.
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

    /// So many at most; their bodies are held until then.
    private static let most = 8

    /// All there are; the one that was sent for them finds none.
    func take() -> [DiskOutcome] {
        state.withLock { state in
            let taken = state.waiting
            state.waiting = []
            state.isAwaited = false
            if let last = taken.last { state.wanted = state.wanted.filter { $0 > last.order } }
            return taken
        }
    }

    /// Has the outcome of an order sent for as soon as it is there. It may be already.
    func want(_ order: UInt64) { state.withLock { _ = $0.wanted.insert(order) } }
}
