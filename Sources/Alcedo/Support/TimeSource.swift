/// The loader's clock: it measures time and sleeps. Tests pass a clock that they control.
package struct TimeSource: Sendable {
    /// The time since a fixed moment.
    package let now: @Sendable () -> Duration
    /// The time of day in seconds since 1970, for comparison with dates in header fields.
    package let secondsSince1970: @Sendable () -> Int64
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    /// The longest sleep. Clocks overflow on very long durations.
    private static let longest = Duration.seconds(365 * 86_400)

    package init(
        _ clock: some Clock<Duration> = ContinuousClock(),
        secondsSince1970: @escaping @Sendable () -> Int64 = TimeOfDay.seconds
    ) {
        self.secondsSince1970 = secondsSince1970
        let origin = clock.now
        if clock is ContinuousClock, let origin = origin as? ContinuousClock.Instant {
            // A load reads the clock a dozen times; through the protocol, each reading takes a quarter more
            // instructions.
            now = { origin.duration(to: .now) }
        } else {
            now = { origin.duration(to: clock.now) }
        }
        sleepUntil = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    }

    /// Sleeps. Returns true when the time has passed, false when the Task was cancelled first.
    package func sleep(for duration: Duration) async -> Bool {
        await sleep(until: now() + min(duration, Self.longest))
    }

    /// When something that is stored now expires, in seconds since 1970; nil if it has no time to live.
    func expiry(after timeToLive: Duration?) -> Int64? {
        timeToLive.map {
            let (end, overflows) = secondsSince1970().addingReportingOverflow(max(1, $0.components.seconds))
            return overflows ? .max : end
        }
    }

    /// Sleeps until ``now`` is `moment`. Returns true when it has come, false when the Task was cancelled first.
    func sleep(until moment: Duration) async -> Bool {
        do {
            try await sleepUntil(min(moment, now() + Self.longest))
            return true
        } catch {
            return false
        }
    }
}

extension Duration {
    /// The sum, limited so that an extremely large duration can't overflow.
    func added(to moment: Duration) -> Duration {
        moment + min(max(self, .zero), .seconds(1_000_000_000_000 as Int64))
    }
}
