import Synchronization

/// Threads that read entries, side by side, each the next one in line.
///
/// What is read while more waits is told together: to wake a Task for each costs more than to read a small file.
final class DiskReaders: Sendable {
    private struct State {
        var line: [DiskRead] = []
        var first = 0
        /// Threads at work.
        var active = 0
    }

    private let work: DiskWork
    private let time: TimeSource
    private let threads: WorkerThreads
    private let state = Mutex(State())

    private static let count = 4
    /// Nanoseconds that an answer waits for others at most, once it is there, unless the next read takes longer.
    private static let patience: UInt64 = 30_000

    init(_ work: DiskWork, _ time: TimeSource) {
        self.work = work
        self.time = time
        threads = WorkerThreads("read", count: Self.count)
    }

    /// Has an entry read.
    ///
    /// - Returns: whether a thread that is awake reads it next, so that it is worth looking out for.
    func start(_ read: DiskRead) -> Bool {
        let isThreadWanted = state.withLock { state in
            state.line.append(read)
            guard state.active < Self.count else { return false }
            state.active += 1
            return true
        }
        return isThreadWanted && threads.submit { [self] in readAll() }
    }

    /// Runs something else on one of the threads, and suspends meanwhile.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value { await threads.run(body) }

    private func readAll() {
        var told: [(DiskRead, DiskRead.Answer?)] = []
        var since: UInt64 = 0
        while let (read, isLast) = next() {
            let answer = read.isWanted ? work.read(read.key, read.presence, now: time.secondsSince1970()) : nil
            if isLast, told.isEmpty {
                read.end(answer)
                continue
            }
            let now = SpinClock.now
            if told.isEmpty { since = now }
            told.append((read, answer))
            if isLast || now &- since >= Self.patience {
                for (read, answer) in told { read.end(answer) }
                told.removeAll(keepingCapacity: true)
            }
        }
        for (read, answer) in told { read.end(answer) }
    }

    /// The next in line, and whether it is the last one; nil when there is none, and the thread's work is over.
    private func next() -> (DiskRead, isLast: Bool)? {
        state.withLock { state in
            guard state.first < state.line.count else {
                state.active -= 1
                return nil
            }
            let read = state.line[state.first]
            state.first += 1
            let isLast = state.first == state.line.count
            if isLast {
                state.line.removeAll(keepingCapacity: true)
                state.first = 0
            }
            return (read, isLast)
        }
    }
}
