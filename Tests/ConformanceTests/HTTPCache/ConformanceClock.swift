import AlcedoTestSupport

/// The time of the client, the cache and the origin. It passes only where a case pauses.
final class ConformanceClock: Sendable {
    /// The clock for a loader's durations.
    ///
    /// What sleeps on it sleeps until a case pauses, so the loader must not wait before it retries.
    let durations = ManualClock()
    private let start: Int64

    /// - Parameter start: In milliseconds since 1970. By default, not at the beginning of a second.
    init(start: Int64 = 1_800_000_000_250) { self.start = start }

    var millisecondsSince1970: Int64 { start + Int64(durations.now.offset / .milliseconds(1)) }

    /// The time of day for a loader.
    var secondsSince1970: Int64 { millisecondsSince1970 / 1000 }

    /// Advances the clock by whole seconds, in place of a pause.
    func advance(by seconds: Int) {
        if seconds > 0 { durations.advance(by: .seconds(seconds)) }
    }
}
