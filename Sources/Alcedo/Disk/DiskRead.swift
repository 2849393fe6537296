import Foundation
import Synchronization

/// One read of an entry, shared by all callers that want it meanwhile.
final class DiskRead: Sendable {
    enum Answer: Sendable {
        case found(StoredEntry)
        case defect(DiskWork.Defect)
    }

    private struct State {
        /// The number of callers that joined and have neither received the answer nor left.
        var callers = 1
        var waiters: [(id: Int, continuation: UnsafeContinuation<Answer?, Never>)] = []
        /// Held until the last caller has received it.
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

    /// Begins with one caller; others may join.
    init(_ key: DiskKey, _ presence: DiskIndex.Presence) {
        self.key = key
        self.presence = presence
    }

    /// True for the first caller to ask: only one of those that receive the answer reports a defect.
    var isToldFirst: Bool { !isTold.exchange(true, ordering: .relaxed) }

    /// The number of callers that wait for the read, or will.
    var callerCount: Int { state.withLock { $0.callers } }

    var isWanted: Bool { callerCount > 0 }

    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Whether the key was removed since the read began. No later caller may receive what was there before.
    var isRetired: Bool { retired.load(ordering: .acquiring) }

    func retire() { retired.store(true, ordering: .releasing) }

    /// Adds a caller. Returns false when the read has ended.
    func join() -> Bool {
        state.withLock { state in
            if !state.hasEnded { state.callers += 1 }
            return !state.hasEnded
        }
    }

    /// The answer, if it arrives within 20 microseconds. For the caller that began the read, when a running thread
    /// performs it next: suspending and being woken takes several times as long as reading a small file.
    ///
    /// Blocks the calling thread, but yields its core to other threads.
    func spin() -> Answer? {
        guard SpinClock.wait(nanoseconds: 20_000, until: { hasEnded }) else { return nil }
        return state.withLock { $0.answer == nil ? nil : $0.takeAnswer() }
    }

    /// The answer. Nil at once when the calling Task is cancelled, or when there was a moment without any callers.
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

    /// The answer for a caller that arrives; nil when it has to wait.
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

    /// Ends the read, whether it was performed or not.
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
