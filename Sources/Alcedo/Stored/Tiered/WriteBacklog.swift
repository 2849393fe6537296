/// The writes that a shared store hasn't carried out yet, in the order in which they were made.
///
/// They are carried out by a few writers, which end when there are no more.
struct WriteBacklog: Sendable {
    struct Write: Sendable {
        let metadata: StoredMetadata
        /// The bytes; nil if only the metadata is replaced.
        let body: StoredBody?
        /// Whether the entry must not be shared, so that an earlier one with its key is removed.
        let isRemoval: Bool
        /// Decoded once, because each removal compares them.
        fileprivate let tags: Set<String>
        fileprivate let bytes: Int
        fileprivate(set) var number: UInt64 = 0

        init(_ body: StoredBody?, _ metadata: StoredMetadata) {
            isRemoval = !metadata.isShareable
            self.metadata = metadata
            self.body = isRemoval ? nil : body
            tags = isRemoval ? [] : metadata.tags
            bytes = (self.body?.count ?? 0) + metadata.encoded.count + Self.overhead
        }

        /// The bytes that a write takes besides its body and its metadata.
        private static let overhead = 1 << 10

        fileprivate func isIn(_ selection: StoredSelection, at second: Int64) -> Bool {
            switch selection {
            case .all: true
            case .expired: metadata.expiresAt.map { $0 <= second } ?? false
            case .keys(let keys): keys.contains(metadata.key)
            case .source(let source): metadata.key.source == source
            case .tag(let tag): tags.contains(tag)
            }
        }
    }

    private let maximumCount: Int
    private let maximumBytes: Int
    private var lastNumber: UInt64 = 0
    /// The oldest first.
    private var queue: [Write] = []
    private var running: [UInt64: Write] = [:]
    private var writers = 0
    /// The waits for the writes up to a number, by the numbers of the waits.
    private var waiting: [UInt64: UInt64] = [:]
    private var lastWaiting: UInt64 = 0
    /// The bytes of all writes that haven't ended.
    private(set) var heldBytes = 0

    /// The number of writes that are carried out at the same time.
    static let mostWriters = 4

    init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    /// The number of writes that haven't ended.
    var count: Int { queue.count + running.count }

    // MARK: Writing

    /// Adds a write. Drops the oldest ones if there is no room, or this one if it doesn't fit then either.
    ///
    /// - Returns: The writes that were dropped, and whether another writer must be started.
    mutating func add(_ write: Write) -> (dropped: [Write], startsWriter: Bool) {
        let runningBytes = running.values.reduce(0) { $0 + $1.bytes }
        guard write.bytes <= maximumBytes - runningBytes, running.count < maximumCount else { return ([write], false) }
        var dropped = 0
        while count - dropped >= maximumCount || heldBytes > maximumBytes - write.bytes {
            heldBytes -= queue[dropped].bytes
            dropped += 1
        }
        let oldest = Array(queue.prefix(dropped))
        queue.removeFirst(dropped)
        lastNumber += 1
        var write = write
        write.number = lastNumber
        queue.append(write)
        heldBytes += write.bytes
        let startsWriter = writers < Self.mostWriters
        if startsWriter { writers += 1 }
        return (oldest, startsWriter)
    }

    /// Returns what a writer is to write next; nil if it is to end.
    mutating func next() -> Write? {
        guard let write = queue.first else {
            writers -= 1
            return nil
        }
        queue.removeFirst()
        running[write.number] = write
        return write
    }

    /// Ends a write that ``next()`` has returned. Returns the numbers of the waits that are over.
    mutating func end(_ write: Write) -> [UInt64] {
        if running.removeValue(forKey: write.number) != nil { heldBytes -= write.bytes }
        return takeReady()
    }

    // MARK: Removing

    /// Drops the selected writes.
    ///
    /// - Parameter second: The time of day, in seconds since 1970.
    /// - Returns: The writes that were dropped, the keys of these and of selected writes that are running, and the
    ///   numbers of the waits that are over.
    mutating func remove(
        _ selection: StoredSelection, at second: Int64
    ) -> (dropped: [Write], keys: [StoredKey], ready: [UInt64]) {
        let dropped = queue.filter { $0.isIn(selection, at: second) }
        if !dropped.isEmpty { queue.removeAll { $0.isIn(selection, at: second) } }
        heldBytes -= dropped.reduce(0) { $0 + $1.bytes }
        let selected = dropped + running.values.filter { $0.isIn(selection, at: second) }
        return (dropped, selected.map(\.metadata.key), takeReady())
    }

    /// Drops all writes that aren't running. Returns them, and the numbers of the waits that are over.
    mutating func removeAll() -> (dropped: [Write], ready: [UInt64]) {
        let dropped = queue
        queue = []
        heldBytes -= dropped.reduce(0) { $0 + $1.bytes }
        return (dropped, takeReady())
    }

    // MARK: Waiting

    /// Returns a number that is returned again once all writes so far have ended or been dropped; nil if they have.
    mutating func wait() -> UInt64? {
        guard count > 0 else { return nil }
        lastWaiting += 1
        waiting[lastWaiting] = lastNumber
        return lastWaiting
    }

    private mutating func takeReady() -> [UInt64] {
        guard !waiting.isEmpty else { return [] }
        let oldest = min(queue.first?.number ?? .max, running.keys.min() ?? .max)
        let ready = waiting.filter { $0.value < oldest }.keys.sorted()
        for number in ready { waiting[number] = nil }
        return ready
    }
}
