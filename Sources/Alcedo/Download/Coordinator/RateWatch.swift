/// Decides which transfer is too slow to keep a slot that another download waits for.
///
/// Each transfer is measured over its own periods. They count only the time during which a download waits for a slot,
/// so nothing is measured and no timer runs while slots are free.
package struct RateWatch<ID: Hashable & Sendable>: Sendable {
    private struct Mark: Sendable {
        /// Counts only the time during which a download waits.
        let begun: Duration
        let bytes: Int
    }

    private let rate: MinimumRate?
    private let period: Duration
    private var marks: [ID: Mark] = [:]
    /// The total time during which a download waited, before the current wait.
    private var waited = Duration.zero
    private var waitingSince: Duration?

    /// - Parameter rate: With nil, no transfer is ever too slow.
    package init(_ rate: MinimumRate?) {
        self.rate = rate
        period = max(.seconds(1), rate?.period ?? .zero)
    }

    /// Starts watching a transfer. A transfer that is already watched continues its period.
    package mutating func begin(_ id: ID, now: Duration) {
        if rate != nil, marks[id] == nil { marks[id] = Mark(begun: clock(now), bytes: 0) }
    }

    /// Stops watching a transfer. Unknown ids change nothing.
    package mutating func end(_ id: ID) {
        if rate != nil { marks[id] = nil }
    }

    /// Sets whether a download waits for a slot from now on.
    package mutating func setWaiting(_ isWaiting: Bool, now: Duration) {
        guard rate != nil, isWaiting != (waitingSince != nil) else { return }
        waited = clock(now)
        waitingSince = isWaiting ? now : nil
    }

    /// Whether a download waits for a slot.
    package var isWaiting: Bool { waitingSince != nil }

    /// When ``check(now:bytes:holdsUp:)`` is due; nil while no download waits. O(transfers).
    package var nextCheck: Duration? {
        guard let waitingSince, let first = marks.values.lazy.map({ $0.begun }).min() else { return nil }
        return waitingSince + (first + period - waited)
    }

    /// The transfer to end, if any: of the transfers that were too slow over their last period and hold up another
    /// download, the one whose period began first. All others whose period has ended begin a new one. O(transfers).
    package mutating func check(now: Duration, bytes: (ID) -> Int, holdsUp: (ID) -> Bool) -> ID? {
        guard let rate, waitingSince != nil else { return nil }
        let now = clock(now)
        var slowest: (id: ID, begun: Duration)?
        for (id, mark) in marks where now - mark.begun >= period {
            let received = bytes(id)
            let least = Double(max(1, rate.bytesPerSecond)) * ((now - mark.begun) / .seconds(1))
            if Double(received - mark.bytes) < least, holdsUp(id) {
                if slowest.map({ mark.begun < $0.begun }) ?? true { slowest = (id, mark.begun) }
            } else {
                marks[id] = Mark(begun: now, bytes: received)
            }
        }
        return slowest?.id
    }

    private func clock(_ now: Duration) -> Duration { waited + (waitingSince.map { now - $0 } ?? .zero) }
}
