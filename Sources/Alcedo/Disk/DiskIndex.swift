/// Which entries the disk holds, how large they are and which goes first: decisions only, no file is touched.
///
/// The index is ahead of the disk: it stands as if all writes and removals handed out had been done. They are done in
/// the order they were handed out, so the sum on disk keeps the limit at every step.
package struct DiskIndex: Sendable {
    package typealias Version = UInt64

    /// What is known of an entry.
    package enum Presence: Equatable, Sendable {
        case absent
        case present(Version)
        /// The directory has not been read yet: only the file itself can tell.
        case unknown
    }

    /// An entry's file and what it takes of the limit.
    package struct Item: Hashable, Sendable {
        package let name: EntryName
        package let bytes: Int

        package init(name: EntryName, bytes: Int) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// What taking an entry in means for the disk.
    package struct Plan: Sendable {
        package let version: Version
        /// To be removed from the disk first.
        package let victims: [Item]
        /// What the file takes that lies under this name should the write fail, or the new one if that is larger.
        package let mayRemain: Item
    }

    private struct Entry: Sendable {
        var bytes: Int
        var version: Version
        var lastUse: UInt64
        /// Its file should be gone and could not be removed: it takes room, and look-ups do not find it.
        var isLeftover = false
    }

    package let byteLimit: Int
    package private(set) var totalBytes = 0
    /// Whether the directory's earlier files have been taken in.
    package private(set) var isComplete = false

    private var entries: [EntryName: Entry] = [:]
    /// Names removed before the directory was read; what it says of them is out of date.
    private var removedEarly: Set<EntryName> = []
    /// Uses in order; an entry's turn comes with its last one.
    private var line: [(name: EntryName, use: UInt64)] = []
    private var head = 0
    private var tick: UInt64 = 0

    package init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    package var count: Int { entries.count }

    package func presence(of name: EntryName) -> Presence {
        if let entry = entries[name] { return entry.isLeftover ? .absent : .present(entry.version) }
        return isComplete || removedEarly.contains(name) ? .absent : .unknown
    }

    /// What is counted for a name; 0 when nothing is.
    package func item(of name: EntryName) -> Item { Item(name: name, bytes: entries[name]?.bytes ?? 0) }

    package mutating func recordUse(of name: EntryName) {
        guard entries[name] != nil else { return }
        tick += 1
        entries[name]?.lastUse = tick
        line.append((name, tick))
        shortenLine()
    }

    /// Takes in an entry about to be written, once the index is complete; nil when it is larger than the limit, and
    /// then `name` itself is to be removed.
    package mutating func insert(_ name: EntryName, bytes: Int) -> Plan? {
        let mayRemain = Item(name: name, bytes: max(bytes, item(of: name).bytes))
        remove(name)
        guard bytes <= byteLimit else { return nil }
        let victims = makeRoom(for: bytes)
        add(name, bytes: bytes)
        return Plan(version: tick, victims: victims, mayRemain: mayRemain)
    }

    /// Takes an entry out: it was removed, or its write failed.
    ///
    /// - Parameter version: when given, a newer entry of that name stays.
    /// - Returns: whether there was one.
    @discardableResult
    package mutating func remove(_ name: EntryName, version: Version? = nil) -> Bool {
        if !isComplete, version == nil { removedEarly.insert(name) }
        guard let entry = entries[name], version == nil || entry.version == version else { return false }
        entries[name] = nil
        totalBytes -= entry.bytes
        shortenLine()
        return true
    }

    /// Counts a file that should be gone and could not be removed. Its turn to be removed comes again.
    package mutating func keepLeftover(_ item: Item) {
        // One that is larger than all there is room for would only drive out the others.
        guard isComplete, entries[item.name] == nil, item.bytes <= byteLimit, item.bytes <= .max - totalBytes else {
            return
        }
        add(item.name, bytes: item.bytes, isLeftover: true)
    }

    /// Empties the index; what the directory held before is gone too.
    package mutating func removeAll() {
        entries.removeAll()
        line.removeAll()
        head = 0
        totalBytes = 0
        removedEarly.removeAll()
        isComplete = true
    }

    /// Takes in what the directory held when it was opened, oldest first: what to remove to keep the limit.
    package mutating func complete(with found: [Item]) -> [Item] {
        guard !isComplete else { return [] }
        isComplete = true
        var victims: [Item] = []
        for item in found where entries[item.name] == nil && !removedEarly.contains(item.name) {
            // The sizes are whatever someone put there: room is made before each is added, so no sum overflows.
            guard item.bytes <= byteLimit else {
                victims.append(item)
                continue
            }
            victims += makeRoom(for: item.bytes)
            add(item.name, bytes: item.bytes)
        }
        removedEarly.removeAll()
        return victims
    }

    /// Why the index contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        let leftover = entries.values.reduce(0) { $0 + ($1.isLeftover ? $1.bytes : 0) }
        if totalBytes - leftover > byteLimit { return "the limit is exceeded" }
        if entries.values.reduce(0, { $0 + $1.bytes }) != totalBytes { return "the sizes do not add up" }
        if line.count > lineLimit { return "the line is too long" }
        let turns = line[head...].filter { entries[$0.name]?.lastUse == $0.use }
        return turns.count == entries.count ? nil : "an entry can never be evicted"
    }

    private mutating func add(_ name: EntryName, bytes: Int, isLeftover: Bool = false) {
        tick += 1
        entries[name] = Entry(bytes: bytes, version: tick, lastUse: tick, isLeftover: isLeftover)
        totalBytes += bytes
        line.append((name, tick))
        shortenLine()
    }

    /// Evicts the least recently used until `bytes` more fit.
    private mutating func makeRoom(for bytes: Int) -> [Item] {
        var victims: [Item] = []
        while totalBytes > byteLimit - bytes, head < line.count {
            let (name, use) = line[head]
            head += 1
            guard let entry = entries[name], entry.lastUse == use else { continue }
            victims.append(Item(name: name, bytes: entry.bytes))
            remove(name)
        }
        if head * 2 > line.count {
            line.removeFirst(head)
            head = 0
        }
        return victims
    }

    private var lineLimit: Int { 2 * entries.count + 64 }

    /// Leaves out the uses that were not the last ones. At least as many were added or overtaken since the last time
    /// as are looked at now, so each use costs the same in the long run.
    private mutating func shortenLine() {
        guard line.count > lineLimit else { return }
        line = line[head...].filter { entries[$0.name]?.lastUse == $0.use }
        head = 0
    }
}
