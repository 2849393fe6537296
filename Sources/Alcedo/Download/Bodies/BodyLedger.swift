/// Decides which transfers pause because too many received bytes wait to be decoded or taken, and which are dropped.
///
/// A transfer is *large* once it has received more than 1/128 of the limit. However much the large transfers hold, they
/// count for at most three quarters of the limit. The last quarter is reserved for bytes that are released soon: those
/// of small transfers, and those of complete bodies that only wait to be decoded. So a slow sender of large bodies
/// doesn't keep small ones from loading.
///
/// At three quarters of the limit, a large transfer that receives more pauses, unless it is the most urgent one. That
/// is the one with the highest priority and, among equals, the one whose first byte came first. At the limit, small
/// transfers pause as well, and neither reads nor downloads start, except more urgent downloads. The limit is therefore
/// exceeded only by the most urgent body, and by bytes that arrive before a transfer has paused. Eventually, the most
/// urgent body is complete. If it fills the limit, all transfers pause until it is decoded, which makes room. The next
/// transfer continues without room only if no complete body is decoded for ``patience``.
///
/// The most urgent transfer is dropped if it receives hardly anything for ``patience`` while others wait.
struct BodyLedger<ID: Hashable & Sendable>: Sendable {
    /// The actions to take.
    enum Step: Hashable {
        case pause(ID)
        case resume(ID)
        /// Ends a transfer. Its bytes count until they are released.
        case drop(ID)
        /// Lets a read begin.
        case admit(ID)
        /// Lets downloads start.
        case start
    }

    private struct Transfer {
        var bytes = 0
        var priority: RequestPriority
        /// The position in the order of first bytes.
        let number: Int
        var isPaused = false
        var isDropped = false

        func isMoreUrgent(than other: Transfer) -> Bool {
            (priority, other.number) > (other.priority, number)
        }
    }

    private struct Read {
        let id: ID
        let isShort: Bool
    }

    /// The beginning of a period in which the most urgent transfer holds up others.
    private struct Mark {
        let id: ID
        let since: Duration
        let bytes: Int
    }

    /// How long the most urgent transfer may hold up others while it receives less than 1/64 of the limit.
    static var patience: Duration { .seconds(10) }
    /// The maximum number of concurrent reads of unknown size; more than the number of threads that read.
    static var readWidth: Int { 16 }

    private(set) var limit: Int
    /// The bytes of all bodies.
    private(set) var byteCount = 0
    /// The bytes of the large transfers.
    private var largeBytes = 0
    private var transfers: [ID: Transfer] = [:]
    /// The sizes of complete bodies.
    private var bodies: [ID: Int] = [:]
    private var wholeBytes = 0
    /// Whether no complete body has been released for so long that the most urgent transfer continues regardless.
    private var isImpatient = false
    /// Reads that were admitted and whose bytes aren't counted yet.
    private var reads: Set<ID> = []
    private var line: [Read] = []
    private var isAwaited = false
    private var pausedCount = 0
    private var lastNumber = 0
    private var mark: Mark?

    /// - Parameter limit: The maximum number of bytes; at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The size of the largest small transfer. Below a limit of 128 bytes, every transfer is large.
    private var smallSize: Int { limit / 128 }
    /// The most bytes that large transfers count for: all but the last quarter, or the limit if none can be small.
    private var largeLimit: Int { limit - 32 * smallSize }
    /// The number of bytes that count toward the limit.
    private var countedBytes: Int { byteCount - max(0, largeBytes - largeLimit) }
    var isFull: Bool { countedBytes >= limit }
    /// When ``tick(now:)`` is due; nil while nothing waits for the most urgent transfer.
    var nextTick: Duration? { mark.map { $0.since + Self.patience } }
    /// Whether a read would be admitted now.
    var hasRoomForRead: Bool { !isFull && reads.count < Self.readWidth }
    var waitingReads: Int { line.count }

    /// Whether bytes of `id` count.
    func holds(_ id: ID) -> Bool { transfers[id] != nil || bodies[id] != nil }

    // MARK: Transfers

    /// Adds bytes that a transfer received.
    ///
    /// - Parameter canPause: Whether the transfer can pause. If not, it continues regardless of the limit.
    mutating func receive(
        _ bytes: Int, by id: ID, _ priority: RequestPriority, canPause: Bool, now: Duration
    ) -> [Step] {
        guard bodies[id] == nil else { return add(bytes, to: id, now: now) }
        byteCount += bytes
        if transfers[id] == nil {
            lastNumber += 1
            transfers[id] = Transfer(priority: priority, number: lastNumber)
        }
        let before = transfers[id].map(largeBytes) ?? 0
        transfers.modify(id) { transfer in
            transfer.bytes += bytes
            transfer.priority = priority
        }
        guard let transfer = transfers[id] else { return [] }
        largeBytes += largeBytes(of: transfer) - before
        var steps: [Step] = []
        if canPause, !transfer.isPaused, !transfer.isDropped, !hasRoom(for: transfer), !mayExceed(id) {
            transfers[id]?.isPaused = true
            pausedCount += 1
            steps.append(.pause(id))
        }
        return steps + settle(now: now)
    }

    mutating func setPriority(_ priority: RequestPriority, of id: ID, now: Duration) -> [Step] {
        guard transfers[id] != nil else { return [] }
        transfers[id]?.priority = priority
        return settle(now: now)
    }

    /// Records that a body is complete. Its bytes count until they are released.
    mutating func complete(_ id: ID, now: Duration) -> [Step] {
        guard let transfer = end(id) else { return [] }
        bodies[id] = transfer.bytes
        wholeBytes += transfer.bytes
        return settle(now: now)
    }

    /// Adds bytes that were read, and ends their read.
    mutating func add(_ bytes: Int, to id: ID, now: Duration) -> [Step] {
        bodies[id, default: 0] += bytes
        (byteCount, wholeBytes) = (byteCount + bytes, wholeBytes + bytes)
        reads.remove(id)
        return settle(now: now)
    }

    /// Removes a transfer, a body or a read with all its bytes. Unknown ids change nothing.
    mutating func release(_ id: ID, now: Duration) -> [Step] {
        if let transfer = end(id) { byteCount -= transfer.bytes }
        if let bytes = bodies.removeValue(forKey: id) {
            (byteCount, wholeBytes) = (byteCount - bytes, wholeBytes - bytes)
            isImpatient = false
        }
        reads.remove(id)
        line.removeAll { $0.id == id }
        return settle(now: now)
    }

    private mutating func end(_ id: ID) -> Transfer? {
        let transfer = transfers.removeValue(forKey: id)
        if let transfer {
            largeBytes -= largeBytes(of: transfer)
            if transfer.isPaused { pausedCount -= 1 }
        }
        return transfer
    }

    // MARK: Reads and starts

    /// Requests a read. An `admit` step follows, now or when there is room.
    ///
    /// - Parameter isShort: Whether the work counts as a read; false if it may take long or wait for other loads.
    mutating func requestRead(_ id: ID, isShort: Bool, now: Duration) -> [Step] {
        line.append(Read(id: id, isShort: isShort))
        return settle(now: now)
    }

    /// Whether a download of this priority may start.
    func mayStart(_ priority: RequestPriority) -> Bool {
        !isFull || lead.map { priority > $0.transfer.priority } ?? false
    }

    /// Sets whether a download waits for room. If so, a `start` step follows once there is room.
    mutating func setAwaited(_ isAwaited: Bool, now: Duration) -> [Step] {
        self.isAwaited = isAwaited
        return settle(now: now)
    }

    mutating func setLimit(_ limit: Int, now: Duration) -> [Step] {
        self.limit = max(1, limit)
        largeBytes = transfers.values.reduce(0) { $0 + largeBytes(of: $1) }
        return settle(now: now)
    }

    // MARK: Time

    /// Lets the most urgent transfer continue, or drops it if it is the reason why others wait.
    mutating func tick(now: Duration) -> [Step] {
        guard let mark, now - mark.since >= Self.patience, let transfer = transfers[mark.id] else { return [] }
        self.mark = nil
        // Bodies that wait for a decoder aren't the fault of a transfer.
        if isFull, wholeBytes > 0, !isImpatient {
            isImpatient = true
            return settle(now: now)
        }
        guard transfer.bytes - mark.bytes < limit / 64 + 1 else { return settle(now: now) }
        transfers[mark.id]?.isDropped = true
        return [.drop(mark.id)] + settle(now: now)
    }

    // MARK: Deciding

    /// The most urgent of the large transfers, or of all if none is large.
    private var lead: (id: ID, transfer: Transfer)? {
        var first: (id: ID, transfer: Transfer)?
        for (id, transfer) in transfers where !transfer.isDropped {
            if first.map({ leads(transfer, $0.transfer) }) ?? true { first = (id, transfer) }
        }
        return first
    }

    private func leads(_ transfer: Transfer, _ other: Transfer) -> Bool {
        guard isLarge(transfer) == isLarge(other) else { return isLarge(transfer) }
        return transfer.isMoreUrgent(than: other)
    }

    private func isLarge(_ transfer: Transfer) -> Bool { transfer.bytes > smallSize }
    private func largeBytes(of transfer: Transfer) -> Int { isLarge(transfer) ? transfer.bytes : 0 }

    /// - Parameter distance: The required distance to its limit, in bytes.
    private func hasRoom(for transfer: Transfer, distance: Int = 0) -> Bool {
        countedBytes + distance < (isLarge(transfer) ? largeLimit : limit)
    }

    /// Whether a transfer may continue without room. At the limit, it waits for complete bodies, because decoding them
    /// makes room.
    private func mayExceed(_ id: ID) -> Bool { (!isFull || wholeBytes == 0 || isImpatient) && lead?.id == id }

    /// Resumes transfers, admits reads and lets downloads start where possible, and measures how long the most urgent
    /// transfer holds up the others.
    private mutating func settle(now: Duration) -> [Step] {
        guard pausedCount > 0 || !line.isEmpty || isAwaited else {
            mark = nil
            return []
        }
        var steps: [Step] = []
        let first = lead
        // The distance to the limit keeps single chunks from pausing and resuming all transfers.
        let resumed = transfers.filter { $0.value.isPaused && hasRoom(for: $0.value, distance: limit / 8) }
        for (id, _) in resumed.sorted(by: { $0.value.isMoreUrgent(than: $1.value) }) { steps += resume(id) }
        if let first, transfers[first.id]?.isPaused == true, mayExceed(first.id) {
            steps += resume(first.id)
        }
        while let read = line.first, !isFull, !read.isShort || reads.count < Self.readWidth {
            line.removeFirst()
            if read.isShort { reads.insert(read.id) }
            steps.append(.admit(read.id))
        }
        if isAwaited, !isFull {
            isAwaited = false
            steps.append(.start)
        }
        measure(first?.id, now: now)
        return steps
    }

    private mutating func resume(_ id: ID) -> [Step] {
        transfers[id]?.isPaused = false
        pausedCount -= 1
        return [.resume(id)]
    }

    private mutating func measure(_ id: ID?, now: Duration) {
        let isInTheWay = pausedCount > 0 || isFull && (!line.isEmpty || isAwaited)
        guard let id, isInTheWay else { return mark = nil }
        if mark?.id != id { mark = Mark(id: id, since: now, bytes: transfers[id]?.bytes ?? 0) }
    }
}
