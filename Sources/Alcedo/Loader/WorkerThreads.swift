import Foundation
import Synchronization

/// Threads for calls that block: file operations and decodes. The cooperative pool has as many threads as there are
/// cores, and a blocked one is missing to every Task of the process.
///
/// Jobs start in the order they are handed over. A thread that runs out of work looks out for more during a few
/// microseconds, giving its core to whoever wants it, before it sleeps: to wake one costs many times what a read does.
package final class WorkerThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    private let queue: JobQueue
    private let patience: UInt64

    private static let mostThreads = 64

    /// - Parameters:
    ///   - label: what the threads are called, after "alcedo."; Linux takes 8 characters of it, or none.
    ///   - count: jobs that run at once, from 1 to 64; with one, jobs run in the order they are handed over.
    ///   - lookout: nanoseconds that a thread looks out for work before it sleeps.
    ///   - patience: nanoseconds that a caller who is alone looks out for its result before it suspends.
    ///   - start: starts a thread; false when the system has none to give.
    package init(
        _ label: String, count: Int, lookout: UInt64 = 50_000, patience: UInt64 = 0,
        start: @escaping @Sendable (_ label: String, _ body: @escaping Job) -> Bool = SystemThread.start
    ) {
        queue = JobQueue(
            threads: min(max(1, count), Self.mostThreads), lookout: lookout,
            start: { start("alcedo.\(label)", $0) })
        self.patience = patience
    }

    /// What was handed over still runs; then the threads end.
    deinit { queue.close() }

    /// Whether the calling thread is one of these, of any instance.
    package static var isCurrent: Bool { pthread_getspecific(JobQueue.mark) != nil }

    /// Whether jobs wait for a thread.
    package var hasWaiting: Bool { queue.hasWaiting }

    /// Hands `work` over and returns at once.
    ///
    /// - Returns: whether a thread that is awake and idle takes it next, so that its result is worth looking out for.
    @discardableResult
    package func submit(_ work: @escaping Job) -> Bool { queue.push(work) }

    /// Runs `work` on one of the threads, and suspends meanwhile; not cancellable.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let reply = Reply<Value>()
        let isNext = queue.push { reply.end(work()) }
        if isNext, let value = reply.lookOut(patience) { return value }
        return await reply.value()
    }

    /// ``run(_:)`` for work whose result nobody needs once the calling Task is cancelled: nil at once then. Work that has
    /// begun goes on to its end; work that has not never does.
    package func runUnlessCancelled<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let reply = Reply<Value?>()
        return await withTaskCancellationHandler {
            let isNext = queue.push { if !reply.hasEnded { reply.end(work()) } }
            if isNext, let value = reply.lookOut(patience) { return value }
            return await reply.value()
        } onCancel: {
            reply.end(nil)
        }
    }
}

/// What the threads share; they keep it, and not the object whose end is theirs.
private final class JobQueue: Sendable {
    private struct State {
        var jobs = Ring()
        var started = 0
        /// Threads that look out for work, which need no waking, and threads asleep.
        var watching = 0
        var asleep = 0
        var running = 0
        var isClosed = false
    }

    private enum Step { case run(WorkerThreads.Job), wait, sleep, end }

    static let mark: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private let state = Mutex(State())
    /// The count of waiting jobs, to be seen without the lock.
    private let waiting = Atomic<Int>(0)
    private let alarm = DispatchSemaphore(value: 0)
    private let threads: Int
    private let lookout: UInt64
    private let startThread: @Sendable (@escaping WorkerThreads.Job) -> Bool

    init(threads: Int, lookout: UInt64, start: @escaping @Sendable (@escaping WorkerThreads.Job) -> Bool) {
        self.threads = threads
        self.lookout = lookout
        self.startThread = start
    }

    var hasWaiting: Bool { waiting.load(ordering: .acquiring) > 0 }

    /// Whether a thread that is awake and idle takes the job next.
    @discardableResult
    func push(_ job: @escaping WorkerThreads.Job) -> Bool {
        enum Need { case nobody, alarm, thread }
        let (need, isNext) = state.withLock { state -> (Need, Bool) in
            state.jobs.append(job)
            let count = state.jobs.count
            waiting.store(count, ordering: .releasing)
            if count <= state.watching { return (.nobody, count == 1 && state.running == 0) }
            if state.asleep > 0 {
                state.asleep -= 1
                return (.alarm, false)
            }
            if state.started < threads {
                state.started += 1
                return (.thread, false)
            }
            return (.nobody, false)
        }
        switch need {
        case .nobody: break
        case .alarm: alarm.signal()
        case .thread: start()
        }
        return isNext
    }

    func close() {
        let asleep = state.withLock { state in
            state.isClosed = true
            defer { state.asleep = 0 }
            return state.asleep
        }
        for _ in 0..<asleep { alarm.signal() }
    }

    private func start() {
        if !hasStartedThread() { standIn() }
    }

    private func hasStartedThread() -> Bool {
        startThread { [self] in
            pthread_setspecific(Self.mark, UnsafeRawPointer(bitPattern: 1))
            work()
        }
    }

    /// A process may be out of threads for a while. What waits is done by those there are, and when there are none by the
    /// thread that asks, until there is one again: late and in its way, but done.
    private func standIn() {
        let isAlone = state.withLock { state in
            if state.started == 1 { return true }
            state.started -= 1
            return false
        }
        guard isAlone else { return }
        let mark = pthread_getspecific(Self.mark)
        pthread_setspecific(Self.mark, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(Self.mark, mark) }
        while let job = nextForStandIn() {
            job()
            if hasStartedThread() { return }
        }
    }

    /// The next job of a thread that ends when there is none.
    private func nextForStandIn() -> WorkerThreads.Job? {
        state.withLock { state in
            guard let job = state.jobs.popFirst() else {
                state.started -= 1
                return nil
            }
            waiting.store(state.jobs.count, ordering: .releasing)
            return job
        }
    }

    private func work() {
        var hasRun = false
        while true {
            switch next(hasRun ? .afterJob : .afterSleep) {
            case .run(let job): job(); hasRun = true
            case .end: return
            case .sleep: alarm.wait(); hasRun = false
            case .wait:
                hasRun = false
                lookOut()
                switch next(.afterLookout) {
                case .run(let job): job(); hasRun = true
                case .end: return
                case .sleep, .wait: alarm.wait()
                }
            }
        }
    }

    private enum Moment { case afterJob, afterSleep, afterLookout }

    private func next(_ moment: Moment) -> Step {
        state.withLock { state in
            switch moment {
            case .afterJob: state.running -= 1
            case .afterLookout: state.watching -= 1
            case .afterSleep: break
            }
            if let job = state.jobs.popFirst() {
                waiting.store(state.jobs.count, ordering: .releasing)
                state.running += 1
                return .run(job)
            }
            if state.isClosed { return .end }
            // One that looks out is enough: more would take the cores from those who have work.
            if moment == .afterJob, lookout > 0, state.watching == 0 {
                state.watching += 1
                return .wait
            }
            state.asleep += 1
            return .sleep
        }
    }

    private func lookOut() {
        _ = SpinClock.wait(lookout) { hasWaiting }
    }
}

/// First in, first out, without allocations of its own once it is large enough.
private struct Ring {
    private var jobs: [WorkerThreads.Job?] = Array(repeating: nil, count: 16)
    private var first = 0
    private(set) var count = 0

    mutating func append(_ job: @escaping WorkerThreads.Job) {
        if count == jobs.count {
            jobs = (0..<count).map { jobs[(first &+ $0) & (count &- 1)] } + Array(repeating: nil, count: count)
            first = 0
        }
        jobs[(first &+ count) & (jobs.count &- 1)] = job
        count &+= 1
    }

    mutating func popFirst() -> WorkerThreads.Job? {
        guard count > 0 else { return nil }
        let job = jobs[first].take()
        first = (first &+ 1) & (jobs.count &- 1)
        count &-= 1
        return job
    }
}

/// How long to look out for something before sleeping is worth it, in nanoseconds.
enum SpinClock {
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Looks out for so many nanoseconds at most, giving the core to whoever wants it.
    ///
    /// - Returns: whether what was looked out for has come.
    static func wait(_ patience: UInt64, until hasCome: () -> Bool) -> Bool {
        let end = now &+ patience
        while !hasCome() {
            if now >= end { return false }
            sched_yield()
        }
        return true
    }
}
