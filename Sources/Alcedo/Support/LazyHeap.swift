/// A heap of elements by rank, least first.
///
/// A rank always belongs to the same element, which may be removed and reinserted.
///
/// An element removed from the middle is only marked, and stays in the heap until it reaches the top or until more
/// elements are marked than not. So every change costs O(log n), including removal anywhere, and at most twice the
/// memory is held.
struct LazyHeap<Rank: Hashable & Comparable & Sendable, Element: Sendable>: Sendable {
    private(set) var entries: [(rank: Rank, element: Element)] = []
    /// Ranks that were removed but are still in the heap; never that of the first entry.
    private(set) var crossedOut: Set<Rank> = []

    var count: Int { entries.count - crossedOut.count }
    var isEmpty: Bool { entries.isEmpty }
    /// The element with the least rank.
    var first: Element? { entries.first?.element }

    mutating func insert(_ element: Element, rank: Rank) {
        if crossedOut.remove(rank) != nil { return }
        entries.append((rank, element))
        siftUp(from: entries.count - 1)
    }

    mutating func removeFirst() -> Element? {
        guard let first = entries.first else { return nil }
        removeTop()
        giveBackRoom()
        return first.element
    }

    /// Removes the element with `rank`, which must be in the heap.
    mutating func remove(rank: Rank) {
        if entries.first?.rank == rank {
            removeTop()
        } else {
            crossedOut.insert(rank)
        }
        giveBackRoom()
    }

    /// All elements with their ranks, in no particular order: O(n).
    var contents: [(rank: Rank, element: Element)] {
        entries.filter { !crossedOut.contains($0.rank) }
    }

    /// Removes the first entry, and any marked entries that then reach the top.
    private mutating func removeTop() {
        repeat {
            entries.swapAt(0, entries.count - 1)
            entries.removeLast()
            siftDown(from: 0)
        } while entries.first.map { crossedOut.remove($0.rank) != nil } ?? false
    }

    private mutating func giveBackRoom() {
        guard crossedOut.count > count + 16 || entries.capacity > 4 * entries.count + 64 else { return }
        entries = contents
        crossedOut = []
        for parent in (0..<entries.count / 2).reversed() { siftDown(from: parent) }
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0, entries[child].rank < entries[(child - 1) / 2].rank {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < entries.count else { return }
            let right = left + 1
            let least = right < entries.count && entries[right].rank < entries[left].rank ? right : left
            guard entries[least].rank < entries[parent].rank else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
