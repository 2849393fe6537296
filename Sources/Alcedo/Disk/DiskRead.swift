import Foundation
import Synchronization

/// One read of an entry, for all who want it meanwhile.
final class DiskRead: Sendable {
    enum Answer: Sendable {
        case found(StoredEntry)
        case defect(DiskWork.Defect)
    }

    private struct State {
        /// Those who were given it and have neither its answer nor left.
        var callers = 1
        var waiters: [(id: Int, continuation: UnsafeContinuation<Answer?, Never>)] = []
        /// Kept until the last of them has it.
        var answer: Answer?
        var hasEnded = false

        mutating func takeAnswer() -> Answer? {
            callers -= 1
            return callers > 0 ? answer : answer.take()
        }
    }

    let key: DiskKey
    let presence: DiskIndex.Presence
    private let state = Mutex(State())
    private let ended = Atomic(false)
    private let retired = Atomic(false)
    private let lastWaiter = Atomic(0)
    private let isTold = Atomic(false)

    /// For the one who begins it, and those who join.
    init(_ key: DiskKey, _ presence: DiskIndex.Presence) {
        self.key = key
        self.presence = presence
    }

    /// For the first who asks: one of all who get the answer says what was wrong.
    var isToldFirst: Bool { !isTold.exchange(true, ordering: .relaxed) }

    /// Those who wait for it still, or will.
    var callerCount: Int { state.withLock { $0.callers } }

    var isWanted: Bool { callerCount > 0 }

    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Whether its key was removed since it began: nobody is to be told of what was there before.
    var isRetired: Bool { retired.load(ordering: .acquiring) }

    func retire() { retired.store(true, ordering: .releasing) }

    /// Whether one more waits for it; false when it is over.
    func join() -> Bool {
        state.withLock { state in
            if !state.hasEnded { state.callers += 1 }
            return !state.hasEnded
        }
    }

    /// What was read, if that comes within a few microseconds; for the one who began it, when a thread that is awake
    /// reads it next. To suspend and to be woken takes several times as long as to read a small file.
    ///
    /// Keeps the calling thread, though not its core when that is wanted.
    func lookOut() -> Answer? {
        guard SpinClock.wait(20_000, until: { hasEnded }) else { return nil }
        return state.withLock { $0.answer == nil ? nil : $0.takeAnswer() }
    }

    /// What was read; nil at once when the calling Task is cancelled, or when nobody wanted it for a moment.
    func answer() async -> Answer? {
        let id = lastWaiter.add(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if let answer = wait(id, continuation) { continuation.resume(returning: answer) }
            }
        } onCancel: {
            leave(id)
        }
    }

    /// What there is for one who comes; nil when he has to wait.
    private func wait(_ id: Int, _ continuation: UnsafeContinuation<Answer?, Never>) -> Answer?? {
        state.withLock { state in
            if state.hasEnded { return .some(state.takeAnswer()) }
            if Task.isCancelled {
                state.callers -= 1
                return .some(nil)
            }
            state.waiters.append((id, continuation))
            return nil
        }
    }

    /// The read is over, or was not made.
    func end(_ answer: Answer?) {
        let waiters = state.withLock { state in
            state.hasEnded = true
            ended.store(true, ordering: .releasing)
            let waiters = state.waiters
            state.waiters = []
            state.callers -= waiters.count
            if state.callers > 0 { state.answer = answer }
            return waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: answer) }
    }

    private func leave(_ id: Int) {
        let left = state.withLock { state -> UnsafeContinuation<Answer?, Never>? in
            guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            state.callers -= 1
            return state.waiters.remove(at: place).continuation
        }
        left?.resume(returning: nil)
    }
}
