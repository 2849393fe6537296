import Foundation
import Synchronization

/// Threads for blocking calls: file operations and decodes.
///
/// The cooperative pool has as many threads as there are cores, and a blocked one is unavailable to every Task of the
/// process.
///
/// Jobs start in the order they are submitted.
package final class WorkerThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    private let queue: JobQueue
    /// The maximum number of jobs that run at the same time.
    let count: Int

    private static let mostThreads = 64

    /// - Parameters:
    ///   - label: The threads' name after "alcedo."; Linux accepts at most 8 characters of it, and ignores a longer
    ///     one.
    ///   - count: The maximum number of jobs that run at the same time, from 1 to 64. With 1, jobs run in the order
    ///     they are submitted.
    ///   - time: Measures the pause before another attempt to start a thread.
    package init(
        _ label: String, count: Int, time: TimeSource = TimeSource(),
        start: @escaping SystemThread.Start = SystemThread.start
    ) {
        self.count = min(max(1, count), Self.mostThreads)
        queue = JobQueue(
            threads: self.count, time: time, start: { start("alcedo.\(label)", $0) })
    }

    /// Submitted jobs still run; then the threads end.
    deinit { queue.close() }

    /// Ends the threads that have nothing to do. Later jobs start new ones.
    package func rest() { queue.rest() }

    /// Whether the calling thread is a worker thread, of any instance.
    package static var isCurrent: Bool { pthread_getspecific(JobQueue.mark) != nil }

    /// Submits `work` and returns immediately. The work never runs on the calling thread: when the process is out of
    /// threads, it waits until a worker thread is free or another can be started.
    package func submit(_ work: @escaping Job) { queue.push(work) }

    /// Submits `work` from other work, to run after everything submitted before. Wakes no thread if the calling one is
    /// a worker, which is about to be free.
    func submitNext(_ work: @escaping Job) { queue.push(work, mayWake: !queue.isCurrent) }

    /// Runs `work` on one of the threads and suspends until it ends. Not cancellable.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let reply = Promise<Value>()
        queue.push { reply.end(work()) }
        return await reply.value()
    }

    /// Like ``run(_:)``, for work whose result isn't needed once the calling Task is cancelled: returns nil immediately
    /// in that case. Work that has begun runs to its end; work that hasn't begun never starts.
    package func runUnlessCancelled<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let reply = Promise<Value?>()
        return await withTaskCancellationHandler {
            queue.push { if !reply.hasEnded { reply.end(work()) } }
            return await reply.value()
        } onCancel: {
            reply.end(nil)
        }
    }
}

/// State shared by the threads.
///
/// They retain this object rather than ``WorkerThreads``, whose deinitialization ends them.
private final class JobQueue: Sendable {
    private struct State {
        var jobs = Ring()
        var started = 0
        var asleep = 0
        /// Whether idle threads end.
        var isResting = false
        /// Whether another attempt to start a thread is scheduled after a pause.
        var isRetrying = false
        var isClosed = false
    }

    private enum Step { case run(WorkerThreads.Job), sleep, end }

    static let mark: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private let state = Mutex(State())
    private let alarm = DispatchSemaphore(value: 0)
    private let threads: Int
    private let time: TimeSource
    private let startThread: @Sendable (@escaping WorkerThreads.Job) -> Bool

    init(threads: Int, time: TimeSource, start: @escaping @Sendable (@escaping WorkerThreads.Job) -> Bool) {
        self.threads = threads
        self.time = time
        self.startThread = start
    }

    /// The mark of these threads.
    private var address: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(self))) }

    /// Whether the calling thread is one of these threads.
    var isCurrent: Bool { UnsafeRawPointer(pthread_getspecific(Self.mark)) == address }

    /// - Parameter mayWake: Whether a thread has to be woken or started for the job.
    func push(_ job: @escaping WorkerThreads.Job, mayWake: Bool = true) {
        enum Need { case nobody, alarm, thread }
        let need = state.withLock { state -> Need in
            state.jobs.append(job)
            state.isResting = false
            if !mayWake { return .nobody }
            if state.asleep > 0 {
                state.asleep -= 1
                return .alarm
            }
            if state.started < threads {
                state.started += 1
                return .thread
            }
            return .nobody
        }
        switch need {
        case .nobody: break
        case .alarm: alarm.signal()
        case .thread: start()
        }
    }

    func close() {
        let asleep = state.withLock { state in
            state.isClosed = true
            defer { state.asleep = 0 }
            return state.asleep
        }
        for _ in 0..<asleep { alarm.signal() }
    }

    func rest() {
        let asleep = state.withLock { state in
            state.isResting = true
            defer { state.asleep = 0 }
            return state.asleep
        }
        for _ in 0..<asleep { alarm.signal() }
    }

    /// Starts a thread that is already counted.
    ///
    /// A process may be out of threads for a while. Its jobs are then left to the existing threads. If there are none,
    /// another attempt is made after a pause, until one succeeds: a job may block, so it can't run on the caller's
    /// thread.
    private func start() {
        let isStarted = startThread { [self] in
            pthread_setspecific(Self.mark, address)
            work()
        }
        if isStarted { return }
        let isRetryDue = state.withLock { state in
            state.started -= 1
            guard state.started == 0, state.jobs.count > 0, !state.isRetrying else { return false }
            state.isRetrying = true
            return true
        }
        if isRetryDue { Task.detached { await self.startLater() } }
    }

    private static let pause = Duration.milliseconds(10)

    private func startLater() async {
        _ = await time.sleep(for: Self.pause)
        let isThreadWanted = state.withLock { state in
            state.isRetrying = false
            guard state.started == 0, state.jobs.count > 0 else { return false }
            state.started = 1
            return true
        }
        if isThreadWanted { start() }
    }

    private func work() {
        while true {
            switch next() {
            case .run(let job): job()
            case .sleep: alarm.wait()
            case .end: return
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return .run(job) }
            if state.isClosed { return .end }
            if state.isResting {
                state.started -= 1
                return .end
            }
            state.asleep += 1
            return .sleep
        }
    }
}

/// A FIFO queue that doesn't allocate once it is large enough.
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
