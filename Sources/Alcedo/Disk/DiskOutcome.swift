import Synchronization

/// What has come of an order to a store's write lane.
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
    let news: IndexFile.News
    let effect: Effect
    /// How far the index file has been taken in with this.
    let place: IndexFile.Place
    /// Whether the index file is worth a new snapshot.
    let isLong: Bool
}

/// The outcomes of a lane on their way to the actor, in their order.
final class DiskOutcomes: Sendable {
    private struct State {
        var waiting: [DiskOutcome] = []
        var isAwaited = false
    }

    private let state = Mutex(State())

    /// - Returns: whether somebody has to be sent for it; there is one on the way otherwise.
    func post(_ outcome: DiskOutcome) -> Bool {
        state.withLock { state in
            state.waiting.append(outcome)
            defer { state.isAwaited = true }
            return !state.isAwaited
        }
    }

    func take() -> [DiskOutcome] {
        state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
    }
}

/// A body handed over and not yet on disk; it answers look-ups at once.
struct StagedBody: Sendable {
    var write: StagedWrite
    let entry: StoredEntry
    /// When it expires of itself, in seconds since 1970.
    let expires: Int64?
    let tags: [UInt64]
    let pending: PendingBody

    var key: DiskKey { write.key }
    var number: UInt64 { write.number }
}

/// The write of a staged body, without the body: a lane that is held up keeps that no longer than it is wanted.
struct StagedWrite: Sendable {
    let key: DiskKey
    /// Tells it from others of its key, in their order.
    let number: UInt64
    /// How often it was tried.
    var attempts = 0
}
