/// Memory of dropped bitmaps, kept for a short time for the next bitmap of the same length.
///
/// It never raises the peak memory of all bitmaps: before new memory is requested from the system, as much idle memory
/// is returned.
struct IdlePages: Sendable {
    /// A block of memory. Its address is a number instead of a pointer, because the memory must not be accessed here.
    struct Block: Sendable, Hashable {
        var address: UInt
        var length: Int
    }

    /// The idle blocks, oldest first.
    private(set) var blocks: [Block] = []
    private(set) var byteCount = 0
    /// The number of blocks that were already present at the last ``age()``.
    private var oldCount = 0
    private let limit: Int

    /// - Parameter limit: the maximum number of idle bytes.
    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { blocks.isEmpty }

    /// Removes the most recently added block of exactly that length.
    ///
    /// - Returns: the block; if there is none, the blocks to return to the system before new memory is requested.
    mutating func take(_ length: Int) -> (hit: Block?, excess: [Block]) {
        if let index = blocks.lastIndex(where: { $0.length == length }) { return (remove(index), []) }
        return (nil, removeOldest { freed, _ in freed < length })
    }

    /// Adds the memory of a dropped bitmap.
    ///
    /// - Returns: the blocks to return to the system, which may include the new one.
    mutating func add(_ block: Block) -> [Block] {
        guard block.length <= limit else { return [block] }
        blocks.append(block)
        byteCount += block.length
        return removeOldest { [limit] _, left in left > limit }
    }

    /// Called at regular intervals.
    ///
    /// Removes and returns the blocks that have been idle since the previous call; they are to be returned to the
    /// system.
    mutating func age() -> [Block] {
        let old = (0..<oldCount).map { _ in remove(0) }
        oldCount = blocks.count
        return old
    }

    /// - Parameter goesOn: whether to remove another block, given the bytes removed so far and the bytes left.
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
