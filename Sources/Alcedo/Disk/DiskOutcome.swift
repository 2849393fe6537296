import Synchronization

/// The outcome of an order to a store's writer thread.
struct DiskOutcome: Sendable {
    enum Effect: Sendable {
        /// The directory was opened. The result is the number of free bytes on its volume; the changes contain an index
        /// of everything.
        case opened(Result<Int, FileError>)
        case wrote([(DiskWork.Writing, DiskWork.WriteOutcome)])
        case updated(EntryName, IndexedEntry, DiskIndex.Plan, DiskWork.WriteOutcome)
        case removed(leftovers: [DiskIndex.Item])
        /// Files were moved away to be deleted.
        case discarded(leftovers: [DiskIndex.Item])
        /// Entries were synchronized with the device. This failed for some of them.
        case synchronized(failed: Set<EntryName>)
        /// No effect other than reading what other stores have done.
        case done
    }

    let order: UInt64
    /// The changes of other stores before the order was carried out.
    var changes: IndexFile.Changes
    let effect: Effect
    /// Whether the index file is long enough to be worth a new snapshot.
    let isLong: Bool
}

/// The outcomes on their way from the writer to the actor, in order.
final class DiskOutcomes: Sendable {
    private let waiting = Mutex<[DiskOutcome]>([])

    /// Adds an outcome. Returns whether the actor has to be scheduled to collect it; if false, that has already been
    /// done.
    func post(_ outcome: DiskOutcome) -> Bool {
        waiting.withLock { waiting in
            waiting.append(outcome)
            return waiting.count == 1
        }
    }

    /// Takes all outcomes posted so far. A collection that was scheduled for them then finds none.
    func take() -> [DiskOutcome] { waiting.withLock { exchange(&$0, with: []) } }
}
