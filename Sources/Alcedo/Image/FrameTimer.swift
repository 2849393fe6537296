import Synchronization

/// Wakes players when their frames are due. One Task sleeps for all players that share a budget and a clock, and frames
/// that are due at almost the same time are shown together.
///
/// Its state is protected by a lock instead of an actor, so that a cancelled sleeper is removed immediately, on any
/// thread.
final class FrameTimer: Sendable {
    private struct Sleeper {
        let due: Duration
        let woken = Promise<Void>()
    }

    private struct State {
        var sleepers: [Sleeper] = []
        /// The alarm for the sleeper that is due first.
        var alarm: (due: Duration, task: Task<Void, Never>)?
    }

    /// The clock's time since the timer was created.
    let time: TimeSource
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// The time by which a frame may be shown early to share a wake-up with another one: much less than a display's
    /// refresh interval.
    static let slack = Duration.milliseconds(2)

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        time = TimeSource(clock)
    }

    /// Whether the timer uses this very clock, and not just one of the same type.
    func uses(_ other: any Clock<Duration>) -> Bool {
        if clock is ContinuousClock { return other is ContinuousClock }
        if clock is SuspendingClock { return other is SuspendingClock }
        return type(of: clock) is AnyClass && clock as AnyObject === other as AnyObject
    }

    /// Returns when `due` has come, up to ``slack`` earlier if another sleeper is due then, or when the Task is
    /// cancelled.
    ///
    /// - Parameter onCancel: Called when the Task is cancelled, on the cancelling thread, after the sleeper has been
    ///   removed. Must not block.
    @MainActor func sleep(until due: Duration, onCancel: @Sendable () -> Void = {}) async {
        let sleeper = Sleeper(due: due)
        change { $0.append(sleeper) }
        await sleeper.woken.value {
            change { sleepers in sleepers.removeAll { $0.woken === sleeper.woken } }
            sleeper.woken.end(())
            onCancel()
        }
    }

    /// Runs on the main actor, as the players do, so no frame is shown before all sleepers that are due have been
    /// woken.
    @MainActor private func ring(_ due: Duration) {
        let latest = max(due, time.now()) + Self.slack
        let woken = change { sleepers in
            defer { sleepers.removeAll { $0.due <= latest } }
            return sleepers.filter { $0.due <= latest }
        }
        for sleeper in woken { sleeper.woken.end(()) }
    }

    /// Changes the sleepers, and sets the alarm for the first of them.
    private func change<Result>(_ body: (inout [Sleeper]) -> Result) -> Result {
        let (result, ended) = state.withLock { state -> (Result, Task<Void, Never>?) in
            let result = body(&state.sleepers)
            let next = state.sleepers.lazy.map(\.due).min()
            if next == state.alarm?.due { return (result, nil) }
            let ended = state.alarm?.task
            state.alarm = next.map { ($0, startAlarm(for: $0)) }
            return (result, ended)
        }
        // Cancelled without holding the lock, because that calls the clock, which may be the program's own.
        ended?.cancel()
        return result
    }

    private func startAlarm(for due: Duration) -> Task<Void, Never> {
        Task.detached(priority: .userInitiated) { [weak self, time] in
            if await time.sleep(until: due) { await self?.ring(due) }
        }
    }
}
