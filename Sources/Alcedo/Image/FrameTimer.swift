import Synchronization

/// Wakes players when their frames are due. One Task sleeps for all players that share a budget and a clock, and frames
/// that are due at almost the same time are shown together.
final class FrameTimer: Sendable {
    private struct Sleeper {
        let due: Duration
        let woken = Promise<Void>()
    }

    private struct State {
        var sleepers: [Sleeper] = []
        var alarm = Alarm()

        /// Removes a sleeper whose Task was cancelled. Returns when the next one is due, if that is later.
        mutating func remove(_ sleeper: Sleeper) -> Duration? {
            sleepers.removeAll { $0.woken === sleeper.woken }
            let next = sleepers.map(\.due).min()
            if let next, next <= sleeper.due { return nil }
            alarm.cancel()
            return next
        }

        mutating func take(dueBy latest: Duration) -> [Sleeper] {
            alarm.rang()
            let due = sleepers.filter { $0.due <= latest }
            sleepers.removeAll { $0.due <= latest }
            return due
        }
    }

    /// The clock's time since the timer was created.
    let time: TimeSource
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// How early a frame may be shown so that it shares a wake-up with another one: much less than a display's refresh.
    static let slack = Duration.milliseconds(2)

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        time = TimeSource(clock)
    }

    /// Whether it is the same clock, and not only one of the same type.
    func uses(_ other: any Clock<Duration>) -> Bool {
        if clock is ContinuousClock { return other is ContinuousClock }
        if clock is SuspendingClock { return other is SuspendingClock }
        return type(of: clock) is AnyClass && clock as AnyObject === other as AnyObject
    }

    /// Returns when `due` has come, up to ``slack`` earlier if another sleeper is due then, or when the Task is
    /// cancelled.
    ///
    /// - Parameter onCancel: Called at once when the Task is cancelled. The timer no longer sleeps for it then.
    @MainActor func sleep(until due: Duration, onCancel: @Sendable () -> Void = {}) async {
        let sleeper = Sleeper(due: due)
        state.withLock {
            $0.sleepers.append(sleeper)
            setAlarm(for: due, &$0.alarm)
        }
        await sleeper.woken.value {
            cancel(sleeper)
            onCancel()
        }
    }

    private func cancel(_ sleeper: Sleeper) {
        state.withLock { if let next = $0.remove(sleeper) { setAlarm(for: next, &$0.alarm) } }
        sleeper.woken.end(())
    }

    private func setAlarm(for due: Duration, _ alarm: inout Alarm) {
        alarm.set(for: due, time, priority: .userInitiated) { [weak self] in await self?.ring() }
    }

    /// On the main actor, where all players are resumed: it shows no frame before the last of them has been woken.
    @MainActor private func ring() {
        let due = state.withLock { state in
            let due = state.take(dueBy: time.now() + Self.slack)
            if let next = state.sleepers.map(\.due).min() { setAlarm(for: next, &state.alarm) }
            return due
        }
        for sleeper in due { sleeper.woken.end(()) }
    }
}
