/// Decides when memory pressure is reported to a cache: only for the first of a burst of events.
struct MemoryPressureGate: Sendable {
    enum Event: Sendable, Hashable {
        /// Some work waited for memory longer than is healthy.
        case someStalled
        /// All work waited for memory longer than is healthy.
        case allStalled
        /// The counters' current values.
        case counted(MemoryEvents)
    }

    /// The time after a report during which no other one of the same or a lower level follows.
    private let interval: Duration
    private var events: MemoryEvents
    private var lastWarning: Duration?
    private var lastCritical: Duration?

    /// - Parameter events: The counters at the start. Earlier counts are ignored.
    init(interval: Duration = .seconds(1), events: MemoryEvents = MemoryEvents("")) {
        self.interval = interval
        self.events = events
    }

    /// The pressure to report, if any, for an event at the time `now`.
    mutating func take(_ event: Event, at now: Duration) -> MemoryPressure? {
        guard let level = level(of: event), !isRecent(lastCritical, now) else { return nil }
        if level == .critical {
            lastCritical = now
        } else {
            guard !isRecent(lastWarning, now) else { return nil }
            lastWarning = now
        }
        return level
    }

    private mutating func level(of event: Event) -> MemoryPressure? {
        switch event {
        case .someStalled: return .warning
        case .allStalled: return .critical
        case .counted(let now):
            defer { events = now }
            return now.pressure(since: events)
        }
    }

    /// A moment in the future means that the clock was set back. It doesn't suppress reports.
    private func isRecent(_ moment: Duration?, _ now: Duration) -> Bool {
        guard let moment, moment <= now else { return false }
        return now - moment < interval
    }
}
