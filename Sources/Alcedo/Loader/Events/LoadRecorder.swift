import Synchronization

/// Records the newest events of loaders, up to a fixed number.
///
/// ```swift
/// let recorder = LoadRecorder()
/// configuration.eventSinks = [recorder]
/// ```
///
/// Recording an event takes a lock to copy a few words, and occasionally to allocate memory. ``events`` copies all
/// events; an event that is recorded during that copies them once more.
public final class LoadRecorder: LoadEventSink {
    private struct State {
        /// The newest events. A ring, once there are as many as are kept.
        var events: [LoadEvent] = []
        /// The number of events so far.
        var count = 0
    }

    /// The maximum number of events kept.
    public let capacity: Int
    private let state = Mutex(State())

    /// Creates a recorder.
    ///
    /// - Parameter capacity: The maximum number of events kept, at least 1. Default 10,000, which is about 1,000 loads
    ///   from the network. An event takes about 70 bytes, besides the requests and errors that it refers to.
    public init(capacity: Int = 10_000) {
        precondition(capacity > 0, "a recorder keeps at least one event, not \(capacity)")
        self.capacity = capacity
    }

    /// The recorded events, oldest first.
    public var events: [LoadEvent] {
        let (events, count) = state.withLock { ($0.events, $0.count) }
        let oldest = events.count < capacity ? 0 : count % capacity
        return Array(events[oldest...] + events[..<oldest])
    }

    /// The number of older events that are no longer kept.
    public var droppedCount: Int { state.withLock { max(0, $0.count - capacity) } }

    /// Records an event.
    public func receive(_ event: LoadEvent) {
        // The replaced event is released outside the lock, because it may hold the last references to the program's
        // objects.
        _ = state.withLock { state -> LoadEvent? in
            defer { state.count += 1 }
            if state.events.count == capacity { return exchange(&state.events[state.count % capacity], with: event) }
            state.events.append(event)
            return nil
        }
    }

    /// Forgets all events so far.
    public func removeAll() {
        _ = state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
