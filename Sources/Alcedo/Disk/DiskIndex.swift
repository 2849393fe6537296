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

    private struct Entry: Sendable {
        var bytes: Int
        var version: Version
        var lastUse: UInt64
    }

    package let byteLimit: Int
    package private(set) var totalBytes = 0
    /// Whether the directory's earlier files have been taken in.
    package private(set) var isComplete = false

    private var entries: [EntryName: Entry] = [:]
    /// Names removed before the directory was read; what it says of them is out of date.
    private var removedEarly: Set<EntryName> = []
    /// Uses in order. A name is listed again when its turn comes and it was used since.
    private var line: [(name: EntryName, use: UInt64)] = []
    private var head = 0
    private var tick: UInt64 = 0

    package init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    package var count: Int { entries.count }

    package func presence(of name: EntryName) -> Presence {
        if let entry = entries[name] { return .present(entry.version) }
        return isComplete || removedEarly.contains(name) ? .absent : .unknown
    }

    package mutating func recordUse(of name: EntryName) {
        tick += 1
        entries[name]?.lastUse = tick
    }

    /// Takes in an entry about to be written, once the index is complete: its version and the names to remove from the
    /// disk first; nil when it is larger than the limit, and then `name` itself is to be removed.
    package mutating func insert(_ name: EntryName, bytes: Int) -> (version: Version, victims: [EntryName])? {
        remove(name)
        guard bytes <= byteLimit else { return nil }
        let victims = makeRoom(for: bytes)
        add(name, bytes: bytes)
        return (tick, victims)
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
        return true
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

    /// Takes in what the directory held when it was opened, oldest first: the names to remove to keep the limit.
    package mutating func complete(with found: [(name: EntryName, bytes: Int)]) -> [EntryName] {
        guard !isComplete else { return [] }
        isComplete = true
        for (name, bytes) in found where entries[name] == nil && !removedEarly.contains(name) {
            add(name, bytes: bytes)
        }
        removedEarly.removeAll()
        return makeRoom(for: 0)
    }

    /// Why the index contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        if totalBytes > byteLimit { return "the limit is exceeded" }
        if entries.values.reduce(0, { $0 + $1.bytes }) != totalBytes { return "the sizes do not add up" }
        return Set(line[head...].map(\.name)).isSuperset(of: entries.keys) ? nil : "an entry can never be evicted"
    }

    private mutating func add(_ name: EntryName, bytes: Int) {
        tick += 1
        entries[name] = Entry(bytes: bytes, version: tick, lastUse: tick)
        totalBytes += bytes
        line.append((name, tick))
    }

    /// Evicts the least recently used until `bytes` more fit.
    private mutating func makeRoom(for bytes: Int) -> [EntryName] {
        var victims: [EntryName] = []
        while totalBytes > byteLimit - bytes, head < line.count {
            let (name, use) = line[head]
            head += 1
            guard let entry = entries[name], entry.version <= use else { continue }
            if entry.lastUse > use {
                line.append((name, entry.lastUse))
            } else {
                remove(name)
                victims.append(name)
            }
        }
        if head * 2 > line.count {
            line.removeFirst(head)
            head = 0
        }
        return victims
    }
}
