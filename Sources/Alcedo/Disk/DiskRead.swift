import Foundation
import Synchronization

/// One read of an entry, for all who want it meanwhile.
final class DiskRead: Sendable {
    enum Answer: Sendable {
        case found(StoredEntry)
        case defect(DiskWork.Defect)
    }

    private enum State {
        /// - isFirst: whether the one who began it has not come to wait for it yet.
        case open(isFirst: Bool, waiters: [(id: Int, continuation: UnsafeContinuation<Answer?, Never>)])
        case ended(Answer?)
    }

    let key: DiskKey
    let presence: DiskIndex.Presence
    private let state = Mutex(State.open(isFirst: true, waiters: []))
    private let hasEnded = Atomic(false)
    private let lastWaiter = Atomic(0)
    private let isTold = Atomic(false)

    init(_ key: DiskKey, _ presence: DiskIndex.Presence) {
        self.key = key
        self.presence = presence
    }

    /// For the first who asks: one of all who get the answer says what was wrong.
    var isToldFirst: Bool { !isTold.exchange(true, ordering: .relaxed) }

    /// Whether somebody waits for it still.
    var isWanted: Bool {
        state.withLock { state in
            if case .open(let isFirst, let waiters) = state { isFirst || !waiters.isEmpty } else { false }
        }
    }

    /// What was read, if that comes within a few microseconds; for the one who began it, when a thread that is awake reads
    /// it next. To suspend and to be woken takes several times as long as to read a small file.
    ///
    /// Keeps the calling thread, though not its core when that is wanted.
    func lookOut() -> Answer? {
        let end = SpinClock.now &+ 20_000
        while !hasEnded.load(ordering: .acquiring) {
            if SpinClock.now >= end { return nil }
            sched_yield()
        }
        return state.withLock { if case .ended(let answer) = $0 { answer } else { nil } }
    }

    /// What was read; nil at once when the calling Task is cancelled, or when nobody wanted it for a moment.
    func answer(isFirst: Bool) async -> Answer? {
        let id = lastWaiter.add(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if let ended = wait(id, continuation, isFirst) { continuation.resume(returning: ended) }
            }
        } onCancel: {
            leave(id)
        }
    }

    /// What there is for one who comes; nil when he has to wait.
    private func wait(
        _ id: Int, _ continuation: UnsafeContinuation<Answer?, Never>, _ isFirst: Bool
    ) -> Answer?? {
        state.withLock { state in
            switch state {
            case .ended(let answer): return .some(answer)
            case .open(let wasFirst, var waiters):
                state = .ended(nil)
                let isCancelled = Task.isCancelled
                if !isCancelled { waiters.append((id, continuation)) }
                state = .open(isFirst: wasFirst && !isFirst, waiters: waiters)
                return isCancelled ? .some(nil) : nil
            }
        }
    }

    /// The read is over, or is not made.
    func end(_ answer: Answer?) {
        let waiters = state.withLock { state in
            defer { state = .ended(answer) }
            if case .open(_, let waiters) = state { return waiters }
            return []
        }
        hasEnded.store(true, ordering: .releasing)
        for waiter in waiters { waiter.continuation.resume(returning: answer) }
    }

    private func leave(_ id: Int) {
        let left = state.withLock { state -> UnsafeContinuation<Answer?, Never>? in
            guard case .open(let isFirst, var waiters) = state,
                let place = waiters.firstIndex(where: { $0.id == id })
            else { return nil }
            let left = waiters.remove(at: place)
            state = .open(isFirst: isFirst, waiters: waiters)
            return left.continuation
        }
        left?.resume(returning: nil)
    }
}
