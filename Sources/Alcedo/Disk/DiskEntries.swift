/// The entries of a disk index, found by name and ordered by last use.
///
/// They are stored contiguously, 48 bytes each, and link to the adjacent entries in the order by index.
struct DiskEntries: Sendable {
    struct Entry: Sendable {
        let name: EntryName
        /// The file's size on disk, in units of 512 bytes.
        var units: UInt32
        /// Seconds since 1970.
        var lastUse: UInt32
        /// Seconds since 1970; 0 means never.
        var expires: UInt32
        /// The number of the entry's tag set.
        var tags: UInt32
        /// Changes whenever the file is to be replaced.
        var version: UInt32
        fileprivate(set) var older = DiskEntries.nowhere
        fileprivate(set) var newer = DiskEntries.nowhere
        var state = State()

        var bytes: Int { Int(units) * DiskEntries.unit }
    }

    struct State: OptionSet, Sendable {
        let rawValue: UInt8

        /// The file should be gone but could not be removed. It takes up space, and look-ups don't find it.
        static let isLeftover = State(rawValue: 1)
        /// The entry was used since uses were last written to disk.
        static let isUsed = State(rawValue: 2)
        /// Only the entry's file name is known. The tags and the expiry are in the file.
        static let isUnread = State(rawValue: 4)
    }

    /// The unit of sizes in bytes, the same as in file systems.
    static let unit = 512
    static let nowhere = UInt32.max

    private(set) var all: [Entry] = []
    private(set) var places: [EntryName: Int] = [:]
    private(set) var oldest = nowhere
    private(set) var newest = nowhere

    /// - Parameter count: The number of entries to reserve capacity for.
    init(count: Int = 0) {
        places.reserveCapacity(count)
        all.reserveCapacity(count)
    }

    var count: Int { all.count }

    subscript(place: Int) -> Entry {
        get { all[place] }
        _modify { yield &all[place] }
    }

    func place(of name: EntryName) -> Int? { places[name] }

    /// Adds an entry that isn't in the index, as the most recently used one.
    mutating func add(_ entry: Entry) {
        if all.count == all.capacity { makeRoom() }
        all.append(entry)
        places[entry.name] = count - 1
        appendToOrder(count - 1)
    }

    @discardableResult
    mutating func remove(at place: Int) -> Entry {
        let removed = all[place]
        removeFromOrder(place)
        places[removed.name] = nil
        let last = count - 1
        if place != last {
            let moved = all[last]
            places[moved.name] = place
            all[place] = moved
            link(moved.older, UInt32(place))
            link(UInt32(place), moved.newer)
        }
        all.removeLast()
        all.giveBackRoom()
        places.giveBackRoom()
        return removed
    }

    /// Makes an entry the most recently used one.
    mutating func use(at place: Int, now: UInt32) {
        all[place].lastUse = now
        guard newest != UInt32(place) else { return }
        removeFromOrder(place)
        appendToOrder(place)
    }

    private mutating func appendToOrder(_ place: Int) {
        link(newest, UInt32(place))
        link(UInt32(place), Self.nowhere)
    }

    private mutating func removeFromOrder(_ place: Int) { link(all[place].older, all[place].newer) }

    /// Makes two entries adjacent in the order. At either end, ``nowhere`` stands for the missing entry.
    private mutating func link(_ older: UInt32, _ newer: UInt32) {
        if older == Self.nowhere { oldest = newer } else { all[Int(older)].newer = newer }
        if newer == Self.nowhere { newest = older } else { all[Int(newer)].older = older }
    }

    /// Grows the capacity by an eighth. If it were doubled, most of it would stay unused.
    private mutating func makeRoom() { all.reserveCapacity(count + max(64, count / 8)) }

    /// Indices from the least to the most recently used entry.
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
}
