import Synchronization

/// A shelf behind its lock.
final class MemoryShelfLock: Sendable {
    private let shelf: Mutex<MemoryShelf>
    private let clock: MemoryClock

    init(_ shelf: consuming MemoryShelf, _ clock: MemoryClock) {
        self.shelf = Mutex(shelf)
        self.clock = clock
    }

    @inline(__always)
    func find(
        _ key: ImageKey, largerServes: Bool, again: Bool, now: () -> Duration
    ) -> MemoryShelf.Found? {
        shelf.withLock { shelf in
            let found = shelf.find(key, largerServes: largerServes, again: again, now: now)
            shelf.tellTime(clock.add)
            return found
        }
    }

    /// For the actor and the statistics.
    func read<Result>(_ look: (MemoryShelf) -> Result) -> Result { shelf.withLock { look($0) } }

    /// For the actor alone: what left, and by how much cost and count of the shelf have grown.
    func change(
        _ event: (inout MemoryShelf) -> Departures<ImageKey, MemoryEntry>
    ) -> (departures: Departures<ImageKey, MemoryEntry>, cost: Int, count: Int) {
        shelf.withLock { shelf in
            let (cost, count) = (shelf.cost, shelf.count)
            let departures = event(&shelf)
            shelf.tellTime(clock.add)
            return (departures, shelf.cost - cost, shelf.count - count)
        }
    }

    /// For the actor alone.
    func candidate() -> MemoryShelf.Candidate? { shelf.withLock { $0.candidate(at: clock.ticks) } }
}

/// How many look-ups and stores there were on all shelves, about.
final class MemoryClock: Sendable {
    private let count = Atomic<UInt32>(0)

    var ticks: UInt32 { count.load(ordering: .relaxed) }

    func add(_ more: UInt32) -> UInt32 { count.wrappingAdd(more, ordering: .relaxed).newValue }
}
