/// The loader's clock: it measures time and sleeps. Tests pass one that stands still.
package struct TimeSource: Sendable {
    /// The time since some fixed moment.
    package let now: @Sendable () -> Duration
    /// The time of day, compared with dates in header fields.
    package let secondsSince1970: @Sendable () -> Int64
    private let sleepFor: @Sendable (Duration) async throws -> Void

    package init(
        _ clock: some Clock<Duration> = ContinuousClock(),
        secondsSince1970: @escaping @Sendable () -> Int64 = TimeOfDay.seconds
    ) {
        self.secondsSince1970 = secondsSince1970
        if clock is ContinuousClock {
            // A load reads it a dozen times; through the protocol, each reading takes a quarter more instructions.
            let origin = ContinuousClock.now
            now = { origin.duration(to: .now) }
        } else {
            let origin = clock.now
            now = { origin.duration(to: clock.now) }
        }
        // Clocks overflow on very long durations, and a year is longer than anybody waits.
        sleepFor = { try await clock.sleep(for: min($0, .seconds(365 * 86_400))) }
    }

    /// Sleeps. Returns true when the time has passed, false when the Task was cancelled first.
    package func sleep(for duration: Duration) async -> Bool {
        do {
            try await sleepFor(duration)
            return true
        } catch {
            return false
        }
    }
}
