/// Memory of dropped bitmaps that waits for the next bitmap of its length, for a short time.
///
/// It never adds to the most that all bitmaps took at one time: who must ask the system for memory gives as much of
/// this back first.
struct IdlePages: Sendable {
    /// A block of memory; a number, as nobody may look into it here.
    struct Block: Sendable, Hashable {
        var address: UInt
        var length: Int
    }

    /// The oldest first.
    private(set) var blocks: [Block] = []
    private(set) var byteCount = 0
    /// How many of the blocks were there at the last ``age()``.
    private var oldCount = 0
    private let limit: Int

    /// - Parameter limit: bytes that may wait at a time.
    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { blocks.isEmpty }

    /// The block of that very length that came last.
    ///
    /// - Returns: the block; without one, those that are to be given back before the system is asked.
    mutating func take(_ length: Int) -> (hit: Block?, excess: [Block]) {
        if let index = blocks.lastIndex(where: { $0.length == length }) { return (remove(index), []) }
        return (nil, removeOldest { freed, _ in freed < length })
    }

    /// A bitmap was dropped.
    ///
    /// - Returns: what is to be given back to the system, which may be the new block.
    mutating func add(_ block: Block) -> [Block] {
        guard block.length <= limit else { return [block] }
        blocks.append(block)
        byteCount += block.length
        return removeOldest { [limit] _, left in left > limit }
    }

    /// Is called at even times. What has waited from one call to the next is to be given back to the system.
    mutating func age() -> [Block] {
        let old = (0..<oldCount).map { _ in remove(0) }
        oldCount = blocks.count
        return old
    }

    /// - Parameter goesOn: whether another one is to be removed, from the bytes removed so far and those left.
    private mutating func removeOldest(while goesOn: (Int, Int) -> Bool) -> [Block] {
        var removed: [Block] = []
        var freed = 0
        while !blocks.isEmpty, goesOn(freed, byteCount) {
            removed.append(remove(0))
            freed += removed.last?.length ?? 0
        }
        return removed
    }

    private mutating func remove(_ index: Int) -> Block {
        if index < oldCount { oldCount -= 1 }
        let block = blocks.remove(at: index)
        byteCount -= block.length
        return block
    }
}
