/// Waits for the deadlines of many callers with one timer.
///
/// If each caller slept by itself, its timer would last until the deadline, however early the caller leaves.
actor Deadlines {
    private struct Due: Comparable {
        let time: Duration
        let number: Int

        static func < (one: Due, other: Due) -> Bool { (one.time, one.number) < (other.time, other.number) }
    }

    private let time: TimeSource
    private var waiting = SortedList<Due, Promise<Bool>>()
    private var lastNumber = 0
    private var alarm = Alarm()

    init(_ time: TimeSource) { self.time = time }

    deinit { alarm.cancel() }

    /// Returns the moment of a deadline.
    nonisolated func moment(after duration: Duration) -> Duration { duration.added(to: time.now()) }

    /// Waits until `moment`. Returns true when it has come, or false immediately if the Task is cancelled before.
    func wait(until moment: Duration) async -> Bool {
        lastNumber += 1
        let (due, promise) = (Due(time: moment, number: lastNumber), Promise<Bool>())
        waiting.insert(promise, rank: due)
        defer { waiting.remove(rank: due) }
        setAlarm(for: moment)
        return await promise.value { promise.end(false) }
    }

    private func setAlarm(for moment: Duration) {
        alarm.set(for: moment, time) { [weak self] in await self?.ring() }
    }

    private func ring() {
        alarm.rang()
        let now = time.now()
        for (due, promise) in waiting.entries {
            guard due.time <= now else { return setAlarm(for: due.time) }
            promise.end(true)
        }
    }
}
