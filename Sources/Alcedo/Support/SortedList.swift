/// Elements sorted by rank, least first. A rank belongs to one element.
///
/// A change moves the elements behind it, which takes some microseconds in a list of 10,000.
struct SortedList<Rank: Comparable & Sendable, Element: Sendable>: Sendable {
    private(set) var entries: [(rank: Rank, element: Element)] = []

    var isEmpty: Bool { entries.isEmpty }
    /// The element with the least rank.
    var first: Element? { entries.first?.element }

    mutating func insert(_ element: Element, rank: Rank) {
        entries.insert((rank, element), at: position(of: rank))
    }

    /// Removes the element with `rank`, which must be in the list.
    mutating func remove(rank: Rank) { entries.remove(at: position(of: rank)) }

    mutating func removeFirst() -> Element? { isEmpty ? nil : entries.removeFirst().element }

    /// The number of elements with a lower rank.
    private func position(of rank: Rank) -> Int {
        var range = entries.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].rank < rank ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
