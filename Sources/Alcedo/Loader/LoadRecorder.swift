import Synchronization

/// Records the events of loaders, up to a number of them: the newest are kept.
///
/// ```swift
/// let recorder = LoadRecorder()
/// configuration.eventSinks = [recorder]
/// ```
///
/// Recording an event takes a lock for a copy of some words; ``events`` copies all of them.
public final class LoadRecorder: LoadEventSink {
    private struct State {
        var events: [LoadEvent] = []
        /// Where the oldest event is, once there are as many as are kept.
        var oldest = 0
        var dropped = 0
    }

    /// The number of events that are kept.
    public let capacity: Int
    private let state = Mutex(State())

    /// Creates a recorder.
    ///
    /// - Parameter capacity: The number of events that are kept, at least 1. Default 10,000, which is some 1,000 loads
    ///   from the network. An event takes some 100 bytes, besides the requests and errors that it refers to.
    public init(capacity: Int = 10_000) {
        precondition(capacity > 0, "a recorder keeps at least one event, not \(capacity)")
        self.capacity = capacity
    }

    /// The events, the oldest first.
    public var events: [LoadEvent] {
        state.withLock { Array($0.events[$0.oldest...] + $0.events[..<$0.oldest]) }
    }

    /// The number of older events that are no longer kept.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Records an event.
    public func receive(_ event: LoadEvent) {
        // The replaced event is released outside the lock: it may hold the last reference to objects of the program.
        _ = state.withLock { state -> LoadEvent? in
            guard state.events.count == capacity else {
                state.events.append(event)
                return nil
            }
            var old = event
            swap(&old, &state.events[state.oldest])
            state.oldest = state.oldest + 1 == capacity ? 0 : state.oldest + 1
            state.dropped += 1
            return old
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
