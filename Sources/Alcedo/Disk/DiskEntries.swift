/// The entries of a disk index: found by name, and in the order of their last uses.
///
/// They lie side by side, 48 bytes each, and know their neighbours in the order by their places; an open-addressing
/// table over them takes up to 64 bytes more.
struct DiskEntries: Sendable {
    struct Entry: Sendable {
        let name: EntryName
        /// What the file takes on disk, in units of 512 bytes.
        var units: UInt32
        /// Seconds since 1970.
        var lastUse: UInt32
        /// Seconds since 1970; 0 is never.
        var expires: UInt32
        /// Its set of tags.
        var tags: UInt32
        /// Another one whenever the file is to be another.
        var version: UInt32
        fileprivate(set) var older = DiskEntries.nowhere
        fileprivate(set) var newer = DiskEntries.nowhere
        var state = State()

        var bytes: Int { Int(units) * DiskEntries.unit }
    }

    struct State: OptionSet, Sendable {
        let rawValue: UInt8

        /// Its file should be gone and could not be removed: it takes room, and look-ups do not find it.
        static let isLeftover = State(rawValue: 1)
        /// Used since the uses were last written down.
        static let isUsed = State(rawValue: 2)
        /// Known by its file's name alone: tags and expiry stand in the file.
        static let isUnread = State(rawValue: 4)
    }

    /// What sizes are counted in, as file systems do.
    static let unit = 512
    static let nowhere = UInt32.max

    private(set) var all: [Entry] = []
    private var table: SlotIndex
    private(set) var oldest = nowhere
    private(set) var newest = nowhere

    /// - Parameter count: of the entries there is to be room for.
    init(count: Int = 0) {
        table = SlotIndex(count: count)
        all.reserveCapacity(count)
    }

    var count: Int { all.count }

    subscript(place: Int) -> Entry { all[place] }

    func place(of name: EntryName) -> Int? {
        table.place(of: Self.hash(name)) { all[$0].name == name }
    }

    /// Adds an entry that is not here, as the one that was used last.
    mutating func add(_ entry: Entry) {
        if all.count == all.capacity { makeRoom() }
        if table.isFull(count: count) { rebuild(for: count + 1) }
        all.append(entry)
        table.insert(Self.hash(entry.name), at: count - 1)
        appendToOrder(count - 1)
    }

    @discardableResult
    mutating func remove(at place: Int) -> Entry {
        let removed = all[place]
        removeFromOrder(place)
        table.remove(Self.hash(removed.name), at: place)
        let last = count - 1
        if place != last {
            let moved = all[last]
            table.move(Self.hash(moved.name), from: last, to: place)
            all[place] = moved
            if moved.older == Self.nowhere {
                oldest = UInt32(place)
            } else {
                all[Int(moved.older)].newer = UInt32(place)
            }
            if moved.newer == Self.nowhere {
                newest = UInt32(place)
            } else {
                all[Int(moved.newer)].older = UInt32(place)
            }
        }
        all.removeLast()
        if table.isWasteful(count: count) {
            // A copy takes no more room than it needs.
            all = all.map { $0 }
            rebuild(for: count)
        }
        return removed
    }

    /// Makes an entry the one that was used last.
    mutating func use(at place: Int, now: UInt32) {
        all[place].lastUse = now
        guard newest != UInt32(place) else { return }
        removeFromOrder(place)
        appendToOrder(place)
    }

    mutating func update(_ place: Int, _ change: (inout Entry) -> Void) { change(&all[place]) }

    mutating func removeAll() { self = DiskEntries() }

    private mutating func appendToOrder(_ place: Int) {
        all[place].older = newest
        all[place].newer = Self.nowhere
        if newest == Self.nowhere { oldest = UInt32(place) } else { all[Int(newest)].newer = UInt32(place) }
        newest = UInt32(place)
    }

    private mutating func removeFromOrder(_ place: Int) {
        let (older, newer) = (all[place].older, all[place].newer)
        if older == Self.nowhere { oldest = newer } else { all[Int(older)].newer = newer }
        if newer == Self.nowhere { newest = older } else { all[Int(newer)].older = older }
    }

    /// By an eighth, as twice as much would mostly lie idle.
    private mutating func makeRoom() { all.reserveCapacity(count + max(64, count / 8)) }

    private mutating func rebuild(for count: Int) {
        table = SlotIndex(count: count)
        for place in all.indices { table.insert(Self.hash(all[place].name), at: place) }
    }

    private static func hash(_ name: EntryName) -> UInt64 { SlotIndex.hash(name.prehash) }

    /// Places from the one that was used longest ago to the last one.
    var order: [Int] {
        var places: [Int] = []
        places.reserveCapacity(count)
        var place = oldest
        while place != Self.nowhere {
            places.append(Int(place))
            place = all[Int(place)].newer
        }
        return places
    }

    /// Why the entries contradict themselves, nil when they do not; for tests.
    var brokenInvariant: String? {
        if let broken = table.brokenInvariant(count: count) { return broken }
        if all.indices.contains(where: { place(of: all[$0].name) != $0 }) { return "an entry is not found" }
        let order = order
        if order.count != count || Set(order).count != count { return "the order has other entries" }
        for (earlier, later) in zip(order, order.dropFirst()) where all[later].older != UInt32(earlier) {
            return "the order is another backwards"
        }
        return newest == order.last.map(UInt32.init) ?? Self.nowhere ? nil : "the order ends elsewhere"
    }
}
