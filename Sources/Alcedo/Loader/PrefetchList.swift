/// Decides which images are loaded ahead, and when: a window of keys that moves along a list.
///
/// A key is in the list once, from when it is added until its load has ended. One whose load has failed for good isn't
/// loaded again, even if it leaves the list in the meantime. Others that have ended are loaded again when they are
/// added, but an update only adds what the update before didn't name.
struct PrefetchList<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A load that begins.
    struct Item: Sendable {
        let key: Key
        let value: Value
        /// Distinguishes it from other loads of the same key.
        let number: UInt64
    }

    /// The outcome of a load.
    enum End: Sendable, Hashable {
        /// The image was in the destination.
        case skipped
        case finished
        /// The load failed and would fail again.
        case failed
        /// The load failed, and another one may succeed.
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
    /// The keys that wait, in order. Those that were stopped are still in it and are skipped.
    private(set) var line: [(key: Key, number: UInt64)] = []
    private(set) var head = 0
    private var lastNumber: UInt64 = 0
    private(set) var progress = ImagePrefetcher.Progress()
    private(set) var runningCount = 0
    /// The number of loads that may run.
    var window: Int
    /// Whether no load may begin.
    var isHeld = false

    init(window: Int) { self.window = window }

    /// The number of keys that wait.
    var waitingCount: Int { progress.remaining - runningCount }
    /// The number of entries in the line, of which more than half are of waiting keys unless they are few.
    var lineLength: Int { line.count - head }

    // MARK: Events

    /// Adds a key after the others, unless it is in the list.
    mutating func add(_ key: Key, _ value: Value) {
        guard states[key] == nil else { return }
        progress.total += 1
        append(key, value)
    }

    /// Makes these the keys of the list, in this order. One that occurs again is left out, and so is one that has
    /// ended, until an update doesn't name it. Returns the loads to cancel.
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

    /// Removes all keys, and forgets those that failed.
    mutating func stopAll() -> [UInt64] {
        forgetFailures()
        return update(to: [])
    }

    /// Makes all running loads wait again, before the others. Returns the loads to cancel.
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

    /// The loads to begin.
    mutating func next() -> [Item] {
        var items: [Item] = []
        while !isHeld, runningCount < window, head < line.count {
            let (key, number) = line[head]
            head += 1
            guard case .waiting(number, let value)? = states[key] else { continue }
            // A load that was put back has another number than the one that was cancelled.
            lastNumber += 1
            states[key] = .running(lastNumber, value)
            runningCount += 1
            items.append(Item(key: key, value: value, number: lastNumber))
        }
        shortenLine()
        return items
    }

    /// A load has ended. Returns false, and does nothing, if it was stopped or put back before.
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

    /// Lets those that failed be loaded again, also by an update with the same keys.
    mutating func forgetFailures() {
        ended = ended.filter { $0.value != .failed && $0.value != .failedForNow }
        dropFailures()
    }

    /// The number of failures that are remembered. One more, and all are forgotten, but updates with the same keys
    /// still leave them out.
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

    /// Removes what is outdated once it is the majority: each entry is moved once on average.
    private mutating func shortenLine() {
        guard line.count > 2 * waitingCount + 64 else { return }
        line = line[head...].filter { (key, number) in
            if case .waiting(number, _)? = states[key] { true } else { false }
        }
        head = 0
    }
}
