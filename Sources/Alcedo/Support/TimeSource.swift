import Foundation

/// A clock, as the loader uses it: it measures and it sleeps. Tests give one that stands still.
package struct TimeSource: Sendable {
    /// The time since some fixed moment.
    package let now: @Sendable () -> Duration
    /// The time of day, which dates in header fields are compared with.
    package let secondsSince1970: @Sendable () -> Int64
    private let sleepFor: @Sendable (Duration) async throws -> Void

    package init(
        _ clock: some Clock<Duration> = ContinuousClock(),
        secondsSince1970: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.secondsSince1970 = secondsSince1970
        let origin = clock.now
        now = { origin.duration(to: clock.now) }
        // Clocks overflow on durations without measure; no one waits a year.
        sleepFor = { try await clock.sleep(for: min($0, .seconds(365 * 86_400))) }
    }

    /// Sleeps: true when the time is over, false when the Task was cancelled before.
    package func sleep(for duration: Duration) async -> Bool {
        do {
            try await sleepFor(duration)
            return true
        } catch {
            return false
        }
    }
}
