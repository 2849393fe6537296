import Synchronization

/// Threads that read entries in parallel, each taking the next one from the queue.
///
/// Answers read while more reads are waiting are delivered together: waking a Task for each costs more than reading a
/// small file.
final class DiskReaders: Sendable {
    private struct State {
        var queue: [DiskRead] = []
        var first = 0
        /// The number of active threads, including one that spins for more work.
        var active = 0
        /// Whether a thread spins for work, or will once it has delivered its answers.
        var isSpinning = false

        var waiting: Int { queue.count - first }
    }

    private let work: DiskWork
    private let time: TimeSource
    private let threads: WorkerThreads
    private let state = Mutex(State())
    /// Whether reads are waiting, readable without the lock.
    private let isWaiting = Atomic(false)

    private static let count = 4
    /// How long a thread spins for more work, in nanoseconds. Waking a thread takes several times as long as reading a
    /// small file.
    private static let spinTime: UInt64 = 50_000
    /// How long an answer waits for others at most, in nanoseconds, unless the next read takes longer.
    private static let deliveryDelay: UInt64 = 30_000

    init(_ work: DiskWork, _ time: TimeSource) {
        self.work = work
        self.time = time
        threads = WorkerThreads("read", count: Self.count, spinTime: 0)
    }

    /// Queues the read of an entry.
    ///
    /// - Returns: Whether a running thread performs it next, which makes spinning for the answer worthwhile.
    func start(_ read: DiskRead) -> Bool {
        let (isThreadWanted, isNext) = state.withLock { state in
            state.queue.append(read)
            isWaiting.store(true, ordering: .releasing)
            if state.isSpinning, state.waiting == 1 { return (false, state.active == 1) }
            guard state.active < Self.count else { return (false, false) }
            state.active += 1
            return (true, false)
        }
        if isThreadWanted { threads.submit { [self] in readAll() } }
        return isNext
    }

    /// Runs other work on one of the threads and suspends meanwhile.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value { await threads.run(body) }

    /// Like ``run(_:)``, for work whose result isn't needed once the calling Task is cancelled: returns nil at once in
    /// that case.
    func runUnlessCancelled<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        await threads.runUnlessCancelled(body)
    }

    private func readAll() {
        var answered: [(DiskRead, DiskRead.Answer?)] = []
        var since: UInt64 = 0
        while let (read, isLast) = next() {
            let answer = read.isWanted ? work.read(read.key, read.presence, now: time.secondsSince1970()) : nil
            if isLast, answered.isEmpty {
                // Before delivering, because the caller may queue its next read at once.
                let spins = claimSpin()
                read.end(answer)
                if spins { spin() }
                continue
            }
            let now = SpinClock.now
            if answered.isEmpty { since = now }
            answered.append((read, answer))
            if isLast || now &- since >= Self.deliveryDelay {
                let spins = isLast && claimSpin()
                for (read, answer) in answered { read.end(answer) }
                answered.removeAll(keepingCapacity: true)
                if spins { spin() }
            }
        }
        for (read, answer) in answered { read.end(answer) }
    }

    /// Makes this thread the one that spins, unless there is one already or reads are waiting. Returns whether it is.
    private func claimSpin() -> Bool {
        state.withLock { state in
            guard !state.isSpinning, state.waiting == 0 else { return false }
            state.isSpinning = true
            return true
        }
    }

    private func spin() {
        _ = SpinClock.wait(nanoseconds: Self.spinTime) { isWaiting.load(ordering: .acquiring) }
        state.withLock { $0.isSpinning = false }
    }

    /// The next read in the queue and whether it is the last one. Nil when there is none, which ends the thread's work.
    private func next() -> (DiskRead, isLast: Bool)? {
        state.withLock { state in
            guard state.waiting > 0 else {
                state.active -= 1
                return nil
            }
            let read = state.queue[state.first]
            state.first += 1
            let isLast = state.waiting == 0
            if isLast {
                state.queue.removeAll(keepingCapacity: true)
                state.first = 0
                isWaiting.store(false, ordering: .releasing)
            }
            return (read, isLast)
        }
    }
}
