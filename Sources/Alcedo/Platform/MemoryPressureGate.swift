/// Decides when a cache is told of memory pressure: of a flood of events, the first.
struct MemoryPressureGate: Sendable {
    enum Event: Sendable, Hashable {
        /// Something waited for memory, longer than is healthy.
        case someStalled
        /// Everything did.
        case allStalled
        /// The counters, as they are now.
        case counted(MemoryEvents)
    }

    /// For so long after one was told, no other one of its level is, and none of a lower one.
    private let interval: Duration
    private var events: MemoryEvents
    private var lastWarning: Duration?
    private var lastCritical: Duration?

    /// - Parameter events: the counters at the start; what they counted is past.
    init(interval: Duration = .seconds(1), events: MemoryEvents = MemoryEvents("")) {
        self.interval = interval
        self.events = events
    }

    /// What to tell, if anything, of an event at the time `now`.
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

    /// A time that is yet to come was told by a clock that went back: it holds up nothing.
    private func isRecent(_ moment: Duration?, _ now: Duration) -> Bool {
        guard let moment, moment <= now else { return false }
        return now - moment < interval
    }
}
