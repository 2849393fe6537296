import Dispatch
import Synchronization

/// Threads for calls that block: file operations and decodes. The cooperative pool has as many threads as there are
/// cores, and a blocked one is missing to every Task of the process.
///
/// Each thread is a private serial queue. Those run on threads beside the pool, while global and concurrent queues
/// share its threads on Linux. What is handed to one queue runs in order.
package final class WorkerThreads: Sendable {
    private let queues: [DispatchQueue]
    /// Jobs handed to each queue that have not ended.
    private let loads: Mutex<[Int]>

    /// More would only wait for the same cores and disks.
    private static let mostThreads = 64
    private static let mark = DispatchSpecificKey<Bool>()

    /// - Parameter count: jobs that run at once, from 1 to 64; with one, jobs run in the order they are handed over.
    package init(_ label: String, count: Int) {
        queues = (0..<min(max(1, count), Self.mostThreads)).map { number in
            let queue = DispatchQueue(label: "alcedo.\(label).\(number)")
            queue.setSpecific(key: Self.mark, value: true)
            return queue
        }
        loads = Mutex(Array(repeating: 0, count: queues.count))
    }

    /// Whether the calling thread is one of these, of any instance.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Runs `work` on the thread with the least to do, and suspends meanwhile; not cancellable.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            enqueue { free in
                let value = work()
                free()
                continuation.resume(returning: value)
            }
        }
    }

    /// ``run(_:)`` for work whose result nobody needs once the calling Task is cancelled: nil at once then. Work that has
    /// begun goes on to its end; work that has not never does.
    package func runUnlessCancelled<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let reply = Reply<Value>()
        return await withTaskCancellationHandler {
            enqueue { free in
                let value = reply.hasEnded ? nil : work()
                free()
                reply.end(value)
            }
            return await reply.value()
        } onCancel: {
            reply.end(nil)
        }
    }

    /// Hands `work` over and returns at once.
    package func submit(_ work: @escaping @Sendable () -> Void) {
        enqueue { free in
            work()
            free()
        }
    }

    /// `work` calls what it is given when its thread is free again, which is before it wakes whoever waits for it: the
    /// next job of that one would be put behind another's otherwise, with this thread idle.
    private func enqueue(_ work: @escaping @Sendable (_ free: () -> Void) -> Void) {
        let number = loads.withLock { loads in
            let number = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[number] += 1
            return number
        }
        queues[number].async {
            work { self.loads.withLock { $0[number] -= 1 } }
        }
    }
}

/// A value that one side waits for and two may bring; the first one counts.
private final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, Never>)
        case ended(Value?)
    }

    private let state = Mutex(State.open)

    var hasEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// For one caller, once.
    func value() async -> Value? {
        await withCheckedContinuation { continuation in
            let ended: Value?? = state.withLock { state in
                if case .ended(let value) = state { return .some(value) }
                state = .awaited(continuation)
                return nil
            }
            if let ended { continuation.resume(returning: ended) }
        }
    }

    func end(_ value: Value?) {
        let awaiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .open:
                state = .ended(value)
                return nil
            case .awaited(let continuation):
                state = .ended(nil)
                return continuation
            case .ended:
                return nil
            }
        }
        awaiting?.resume(returning: value)
    }
}
