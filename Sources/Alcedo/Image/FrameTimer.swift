/// Wakes players when their frames are due. One Task sleeps for all players that share a budget and a clock, and frames
/// that are due at almost the same time are shown together.
@MainActor
final class FrameTimer {
    private struct Sleeper {
        let due: Duration
        let woken = Promise<Void>()
    }

    /// The clock's time since the timer was created.
    let time: TimeSource
    private let clock: any Clock<Duration>
    private var sleepers: [Sleeper] = []
    private var alarm = Alarm()

    /// How early a frame may be shown so that it shares a wake-up with another one: much less than a display's refresh.
    static let slack = Duration.milliseconds(2)

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        time = TimeSource(clock)
    }

    /// Whether it is the same clock, and not only one of the same type.
    nonisolated func uses(_ other: any Clock<Duration>) -> Bool {
        if clock is ContinuousClock { return other is ContinuousClock }
        if clock is SuspendingClock { return other is SuspendingClock }
        return type(of: clock) is AnyClass && clock as AnyObject === other as AnyObject
    }

    /// Returns when `due` has come, up to ``slack`` earlier if another sleeper is due then, or when the Task is
    /// cancelled.
    func sleep(until due: Duration) async {
        let sleeper = Sleeper(due: due)
        sleepers.append(sleeper)
        setAlarm(for: due)
        await sleeper.woken.value { sleeper.woken.end(()) }
        guard Task.isCancelled else { return }
        sleepers.removeAll { $0.woken === sleeper.woken }
        let next = sleepers.map(\.due).min()
        if let next, next <= due { return }
        alarm.cancel()
        if let next { setAlarm(for: next) }
    }

    private func setAlarm(for due: Duration) {
        alarm.set(for: due, time, priority: .userInitiated) { [weak self] in await self?.ring() }
    }

    private func ring() {
        alarm.rang()
        let latest = time.now() + Self.slack
        let due = sleepers.filter { $0.due <= latest }
        sleepers.removeAll { $0.due <= latest }
        for sleeper in due { sleeper.woken.end(()) }
        if let next = sleepers.map(\.due).min() { setAlarm(for: next) }
    }
}
