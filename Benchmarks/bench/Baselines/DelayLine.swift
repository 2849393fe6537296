import Foundation
import Synchronization

/// Calls back after a fixed time, in order. This is the latency of a network that is otherwise infinitely fast.
final class DelayLine: Sendable {
    private typealias Item = (due: ContinuousClock.Instant, body: @Sendable () -> Void)

    private struct State {
        var line: [Item] = []
        var isAsleep = false
        var isOver = false
    }

    private let latency: Duration
    private let state = Mutex(State())
    private let alarm = DispatchSemaphore(value: 0)

    /// Starts the thread, which runs until ``end()``.
    init(latency: Duration) {
        self.latency = latency
        Thread { [self] in run() }.start()
    }

    func add(_ body: @escaping @Sendable () -> Void) {
        let due = ContinuousClock.now + latency
        wake { $0.line.append((due, body)) }
    }

    /// Ends the thread once nothing is left in the line.
    func end() { wake { $0.isOver = true } }

    private func wake(_ change: (inout State) -> Void) {
        let isAlarmWanted = state.withLock { state in
            change(&state)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if isAlarmWanted { alarm.signal() }
    }

    private func run() {
        while true {
            let (items, isOver) = state.withLock { state -> ([Item], Bool) in
                let items = state.line
                // The array is replaced, because the next append would copy an array that the thread still reads.
                state.line = []
                state.isAsleep = items.isEmpty && !state.isOver
                return (items, state.isOver)
            }
            if items.isEmpty {
                if isOver { return }
                alarm.wait()
            }
            for item in items {
                let rest = (item.due - .now) / .seconds(1)
                if rest > 0 { Thread.sleep(forTimeInterval: rest) }
                item.body()
            }
        }
    }
}
