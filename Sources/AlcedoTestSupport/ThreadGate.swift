import Foundation
import Synchronization

/// Blocks threads until it is opened, and reports their arrival. It simulates a call that blocks as long as a test
/// needs.
package final class ThreadGate: Sendable {
    private struct State {
        var isOpen = false
        var isGivenUp = false
        var arrived = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let condition = NSCondition()

    package init() {}

    /// Blocks the calling thread until the gate is open. Must not be called on the cooperative pool.
    package func enter() {
        let ready = state.withLock { state in
            state.arrived += 1
            let arrived = state.arrived
            let ready = state.waiting.filter { $0.count <= arrived }
            state.waiting.removeAll { $0.count <= arrived }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
        condition.lock()
        while !state.withLock({ $0.isOpen }) { condition.wait() }
        condition.unlock()
    }

    /// Lets all threads through, including later ones.
    package func open() {
        condition.lock()
        state.withLock { $0.isOpen = true }
        condition.broadcast()
        condition.unlock()
    }

    /// Suspends until `count` threads have arrived since the gate was created.
    ///
    /// If a test's wait is cancelled because it took too long, the gate opens, so that the test ends.
    package func arrivals(_ count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.arrived >= count || state.isGivenUp { return true }
                    state.waiting.append((count, continuation))
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.isGivenUp = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.continuation.resume() }
            open()
        }
    }
}
