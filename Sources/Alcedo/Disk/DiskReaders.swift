import Synchronization

/// Threads that read entries, side by side, each the next one in line.
///
/// What is read while more waits is told together: to wake a Task for each costs more than to read a small file.
final class DiskReaders: Sendable {
    private struct State {
        var line: [DiskRead] = []
        var first = 0
        /// Threads at work, the one that looks out for more included.
        var active = 0
        /// Whether one looks out, or will as soon as it has told what it read.
        var isWatched = false

        var waiting: Int { line.count - first }
    }

    private let work: DiskWork
    private let time: TimeSource
    private let threads: WorkerThreads
    private let state = Mutex(State())
    /// Whether reads wait, to be seen without the lock.
    private let isWaiting = Atomic(false)

    private static let count = 4
    /// Nanoseconds that a thread looks out for more, as to wake one takes several times as long as to read a small
    /// file.
    private static let lookout: UInt64 = 50_000
    /// Nanoseconds that an answer waits for others at most, once it is there, unless the next read takes longer.
    private static let patience: UInt64 = 30_000

    init(_ work: DiskWork, _ time: TimeSource) {
        self.work = work
        self.time = time
        threads = WorkerThreads("read", count: Self.count, lookout: 0)
    }

    /// Has an entry read.
    ///
    /// - Returns: whether a thread that is awake reads it next, so that it is worth looking out for.
    func start(_ read: DiskRead) -> Bool {
        let (isThreadWanted, isNext) = state.withLock { state in
            state.line.append(read)
            isWaiting.store(true, ordering: .releasing)
            if state.isWatched, state.waiting == 1 { return (false, state.active == 1) }
            guard state.active < Self.count else { return (false, false) }
            state.active += 1
            return (true, false)
        }
        if isThreadWanted { threads.submit { [self] in readAll() } }
        return isNext
    }

    /// Runs something else on one of the threads, and suspends meanwhile.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value { await threads.run(body) }

    /// ``run(_:)`` for what nobody needs once the calling Task is cancelled: nil at once then.
    func runUnlessCancelled<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        await threads.runUnlessCancelled(body)
    }

    private func readAll() {
        var told: [(DiskRead, DiskRead.Answer?)] = []
        var since: UInt64 = 0
        while let (read, isLast) = next() {
            let answer = read.isWanted ? work.read(read.key, read.presence, now: time.secondsSince1970()) : nil
            if isLast, told.isEmpty {
                // Before: who has been told may ask for the next at once.
                let isWatcher = watch()
                read.end(answer)
                if isWatcher { lookOut() }
                continue
            }
            let now = SpinClock.now
            if told.isEmpty { since = now }
            told.append((read, answer))
            if isLast || now &- since >= Self.patience {
                let isWatcher = isLast && watch()
                for (read, answer) in told { read.end(answer) }
                told.removeAll(keepingCapacity: true)
                if isWatcher { lookOut() }
            }
        }
        for (read, answer) in told { read.end(answer) }
    }

    /// Makes this thread the one that looks out, unless there is one or more to read; whether it is.
    private func watch() -> Bool {
        state.withLock { state in
            guard !state.isWatched, state.waiting == 0 else { return false }
            state.isWatched = true
            return true
        }
    }

    private func lookOut() {
        _ = SpinClock.wait(Self.lookout) { isWaiting.load(ordering: .acquiring) }
        state.withLock { $0.isWatched = false }
    }

    /// The next in line, and whether it is the last one; nil when there is none, and the thread's work is over.
    private func next() -> (DiskRead, isLast: Bool)? {
        state.withLock { state in
            guard state.waiting > 0 else {
                state.active -= 1
                return nil
            }
            let read = state.line[state.first]
            state.first += 1
            let isLast = state.waiting == 0
            if isLast {
                state.line.removeAll(keepingCapacity: true)
                state.first = 0
                isWaiting.store(false, ordering: .releasing)
            }
            return (read, isLast)
        }
    }
}
