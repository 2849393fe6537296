import Foundation
import Synchronization

/// An executor whose actor can be entered without suspending while it is free.
///
/// Awaiting a default actor costs a switch of threads where a Task can't take the actor along: in an immediate Task
/// before its first suspension, and on the way back from an actor that others wait for. ``now(_:_:)`` and
/// ``soon(_:_:)`` take the turn on the calling thread instead. They never block, and need no frame of an async
/// function, which a Task would keep room for until it ends.
///
/// A turn may run on the thread of any Task, so `Task.isCancelled` and task-local values mean nothing in it.
///
/// - Invariant: While anything isolated to the actor runs, `owner` is the thread that it runs on.
package final class TurnExecutor: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case turn(@Sendable () -> Void)
    }

    /// The thread that has the turn; 0 if none has. Not a lock, because nobody waits for it.
    private let owner = Atomic<UInt>(0)
    private let waiting = Mutex<[Work]>([])
    private let hasWaiting = Atomic(false)
    /// Whether a Task is about to run the waiting turns and jobs.
    private let willRun = Atomic(false)

    /// Most take a few microseconds.
    private static let mostAtOnce = 64

    package init() {}

    /// Runs `body` isolated to `actor`, which runs here. Returns nil if the actor is busy: await it then.
    package func now<Owner: Actor, Value: Sendable>(_ actor: Owner, _ body: (isolated Owner) -> Value) -> Value? {
        let value = withTurn { actor.assumeIsolated(body) }
        if value != nil { runWaiting() }
        return value
    }

    /// Runs `body` isolated to `actor`, which runs here: now, or after the current turn on the thread that has it. If
    /// much waits before it, a Task runs it. One caller's bodies run in the order of its calls.
    package func soon<Owner: Actor>(_ actor: Owner, _ body: @escaping @Sendable (isolated Owner) -> Void) {
        add(.turn { actor.assumeIsolated(body) })
        runWaiting()
    }

    /// Like ``soon(_:_:)``, but never on the calling thread outside a turn: for callers that may be on an actor or hold
    /// a lock. One Task runs all waiting turns, however many call this meanwhile.
    package func later<Owner: Actor>(_ actor: Owner, _ body: @escaping @Sendable (isolated Owner) -> Void) {
        add(.turn { actor.assumeIsolated(body) })
        runElsewhere()
    }

    /// Never runs the job on the calling thread, which may be that of another actor, such as the main one.
    package func enqueue(_ job: consuming ExecutorJob) {
        // Another thread may run the job at once, and with it end the last owner of this executor.
        let executor = Unmanaged.passRetained(self)
        defer { executor.release() }
        add(.job(UnownedJob(job)))
        runElsewhere()
    }

    /// The number of turns and jobs that wait; for tests.
    package var waitingCount: Int { waiting.withLock { $0.count } }

    private func add(_ work: Work) {
        waiting.withLock { $0.append(work) }
        hasWaiting.store(true, ordering: .sequentiallyConsistent)
    }

    /// Leaves the waiting turns and jobs to the thread that has the turn, or else to a Task.
    private func runElsewhere() {
        guard owner.load(ordering: .sequentiallyConsistent) == 0,
            !willRun.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        Task.detached {
            self.willRun.store(false, ordering: .sequentiallyConsistent)
            self.runWaiting()
        }
    }

    /// Runs the waiting turns and jobs, unless another thread has the turn and will do so after it. If there are many,
    /// a Task runs the rest, so that this thread isn't kept.
    private func runWaiting() {
        var count = 0
        while hasWaiting.load(ordering: .sequentiallyConsistent) {
            if count == Self.mostAtOnce { return runElsewhere() }
            let ran = withTurn {
                let works = takeWaiting(Self.mostAtOnce - count)
                for work in works {
                    switch work {
                    case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                    case .turn(let turn): turn()
                    }
                }
                return works.count
            }
            guard let ran else { return }
            count += ran
        }
    }

    private func takeWaiting(_ count: Int) -> [Work] {
        waiting.withLock { works in
            if works.count <= count {
                hasWaiting.store(false, ordering: .sequentiallyConsistent)
                return exchange(&works, with: [])
            }
            defer { works.removeFirst(count) }
            return Array(works.prefix(count))
        }
    }

    private func withTurn<Value: Sendable>(_ body: () -> Value) -> Value? {
        guard owner.compareExchange(expected: 0, desired: Self.thread, ordering: .sequentiallyConsistent).exchanged
        else { return nil }
        defer { owner.store(0, ordering: .sequentiallyConsistent) }
        return body()
    }

    package func isIsolatingCurrentContext() -> Bool? { owner.load(ordering: .relaxed) == Self.thread }

    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "called on an actor that is not isolated here")
    }

    private static var thread: UInt { withUnsafeBytes(of: pthread_self()) { $0.loadUnaligned(as: UInt.self) } }
}
