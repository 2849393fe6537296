/// Decides which images are prefetched, and when, by moving a window along a list of keys.
///
/// A key is in the list once, from when it is added until its load has ended. A key whose load has failed permanently
/// isn't loaded again, even if it leaves the list in the meantime. Other keys whose loads have ended are loaded again
/// when they are added, but an update adds only keys that the previous update didn't have.
struct PrefetchList<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A load to begin.
    struct Item: Sendable {
        let key: Key
        let value: Value
        /// Distinguishes the load from other loads of the same key.
        let number: UInt64
    }

    /// The outcome of a load.
    enum End: Sendable, Hashable {
        /// The image was already in the destination.
        case skipped
        case finished
        /// The load failed and would fail again.
        case failed
        /// The load failed, but another one may succeed.
        case failedForNow
        /// The load was cancelled, but not through the list.
        case dropped
    }

    enum State: Sendable {
        case waiting(UInt64, Value)
        case running(UInt64, Value)
        case failed
    }

    private(set) var states: [Key: State] = [:]
    private(set) var failureCount = 0
    /// The keys of the last update.
    private(set) var listed: Set<Key> = []
    /// The outcomes of the loads that have ended, by listed key.
    private(set) var ended: [Key: End] = [:]
    /// The waiting keys, in order. It may still contain stopped keys, which are skipped.
    private(set) var line: [(key: Key, number: UInt64)] = []
    private(set) var head = 0
    private var lastNumber: UInt64 = 0
    private(set) var progress = ImagePrefetcher.Progress()
    private(set) var runningCount = 0
    /// The maximum number of running loads.
    var window: Int
    /// Whether no load may begin.
    var isHeld = false

    init(window: Int) { self.window = window }

    /// The number of waiting keys.
    var waitingCount: Int { progress.remaining - runningCount }
    /// The number of entries in the line. More than half of them are for waiting keys, unless there are only a few.
    var lineLength: Int { line.count - head }

    // MARK: Events

    /// Adds a key after the others, unless it is in the list.
    mutating func add(_ key: Key, _ value: Value) {
        guard states[key] == nil else { return }
        progress.total += 1
        append(key, value)
    }

    /// Replaces the keys of the list. Duplicates are left out, and so are keys whose loads have ended, until an update
    /// doesn't have them. Returns the loads to cancel.
    mutating func update(to keys: [(Key, Value)]) -> [UInt64] {
        listed = Set(keys.map(\.0))
        let cancelled = stop(states.keys.filter { !listed.contains($0) })
        ended = ended.filter { listed.contains($0.key) }
        (line, head) = ([], 0)
        var unseen = listed
        for (key, value) in keys where unseen.remove(key) != nil {
            switch states[key] {
            case nil where ended[key] == nil:
                progress.total += 1
                append(key, value)
            case .waiting(_, let first)?:
                states[key] = nil
                append(key, first)
            case nil, .running?, .failed?: break
            }
        }
        return cancelled
    }

    /// Removes keys. Returns the loads to cancel.
    mutating func stop(_ keys: some Sequence<Key>) -> [UInt64] {
        var cancelled: [UInt64] = []
        for key in keys {
            ended[key] = nil
            switch states[key] {
            case nil, .failed?: continue
            case .waiting?: break
            case .running(let number, _)?:
                runningCount -= 1
                cancelled.append(number)
            }
            states[key] = nil
            progress.total -= 1
        }
        shortenLine()
        return cancelled
    }

    /// Removes all keys, and forgets failures. Returns the loads to cancel.
    mutating func stopAll() -> [UInt64] {
        forgetFailures()
        return update(to: [])
    }

    /// Puts all running loads back in front of the waiting ones. Returns the loads to cancel.
    mutating func putBack() -> [UInt64] {
        let running = states.compactMap { key, state -> (key: Key, number: UInt64)? in
            if case .running(let number, _) = state { (key, number) } else { nil }
        }.sorted { $0.number < $1.number }
        for (key, number) in running {
            if case .running(_, let value)? = states[key] { states[key] = .waiting(number, value) }
        }
        line = running + line[head...]
        (head, runningCount) = (0, 0)
        return running.map(\.number)
    }

    /// Returns the loads to begin.
    mutating func next() -> [Item] {
        var items: [Item] = []
        while !isHeld, runningCount < window, head < line.count {
            let (key, number) = line[head]
            head += 1
            guard case .waiting(number, let value)? = states[key] else { continue }
            // A load that was put back gets a new number, which distinguishes it from the cancelled one.
            lastNumber += 1
            states[key] = .running(lastNumber, value)
            runningCount += 1
            items.append(Item(key: key, value: value, number: lastNumber))
        }
        shortenLine()
        return items
    }

    /// Ends a load. Returns false, and only counts the bytes, if it was stopped or put back before.
    @discardableResult mutating func end(_ key: Key, _ number: UInt64, _ end: End, bytes: Int) -> Bool {
        progress.receivedBytes += bytes
        guard case .running(number, _)? = states[key] else { return false }
        runningCount -= 1
        states[key] = nil
        if end == .failed { keepFailure(of: key) }
        if listed.contains(key) { ended[key] = end == .dropped ? nil : end }
        switch end {
        case .skipped: progress.skipped += 1
        case .finished: progress.finished += 1
        case .failed, .failedForNow: progress.failed += 1
        case .dropped: progress.total -= 1
        }
        return true
    }

    /// Lets failed keys be loaded again, even by an update with the same keys.
    mutating func forgetFailures() {
        ended = ended.filter { $0.value != .failed && $0.value != .failedForNow }
        dropFailures()
    }

    /// The maximum number of remembered failures. When it is exceeded, the earlier ones are forgotten, but updates with
    /// the same keys still leave them out.
    static var mostFailures: Int { 1_000 }

    private mutating func keepFailure(of key: Key) {
        if failureCount == Self.mostFailures { dropFailures() }
        failureCount += 1
        states[key] = .failed
    }

    private mutating func dropFailures() {
        if failureCount == 0 { return }
        states = states.filter { if case .failed = $0.value { false } else { true } }
        failureCount = 0
    }

    // MARK: The line

    private mutating func append(_ key: Key, _ value: Value) {
        lastNumber += 1
        states[key] = .waiting(lastNumber, value)
        line.append((key, lastNumber))
    }

    /// Removes outdated entries once they are the majority, so that each entry is moved once on average.
    private mutating func shortenLine() {
        guard line.count > 2 * waitingCount + 64 else { return }
        line = line[head...].filter { (key, number) in
            if case .waiting(number, _)? = states[key] { true } else { false }
        }
        head = 0
    }
}
