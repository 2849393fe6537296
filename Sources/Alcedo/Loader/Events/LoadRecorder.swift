import Synchronization

/// Records the events of loaders, up to a number of them: the newest are kept.
///
/// ```swift
/// let recorder = LoadRecorder()
/// configuration.eventSinks = [recorder]
/// ```
///
/// Recording an event takes a lock for a copy of some words, and now and then for an allocation; ``events`` copies all
/// of them.
public final class LoadRecorder: LoadEventSink {
    /// Events are kept in pieces, because dropping them by the piece is faster than replacing each one.
    private struct State {
        /// The newest events, fewer than make a piece.
        var newest: [LoadEvent] = []
        /// Whole pieces before these: a ring, once there are as many as are kept.
        var older: [[LoadEvent]] = []
        /// The index of the oldest piece.
        var oldest = 0
        /// The number of events in pieces so far.
        var count = 0

        /// Begins a piece. Returns the oldest one if it is no longer kept.
        mutating func beginPiece(keeping pieceCount: Int) -> [LoadEvent]? {
            var piece: [LoadEvent] = []
            piece.reserveCapacity(newest.count)
            swap(&piece, &newest)
            count += piece.count
            guard older.count == pieceCount else {
                older.append(piece)
                return nil
            }
            swap(&piece, &older[oldest])
            oldest = (oldest + 1) % pieceCount
            return piece
        }
    }

    /// The number of events that are kept.
    public let capacity: Int
    private static let pieceSize = 256
    private let state = Mutex(State())

    /// Creates a recorder.
    ///
    /// - Parameter capacity: The number of events that are kept, at least 1. Default 10,000, which is some 1,000 loads
    ///   from the network. An event takes some 70 bytes, besides the requests and errors that it refers to. Up to 256
    ///   older ones are released late.
    public init(capacity: Int = 10_000) {
        precondition(capacity > 0, "a recorder keeps at least one event, not \(capacity)")
        self.capacity = capacity
    }

    /// The events, the oldest first.
    public var events: [LoadEvent] {
        let (older, newest) = state.withLock { ($0.older[$0.oldest...] + $0.older[..<$0.oldest], $0.newest) }
        return (older.joined() + newest).suffix(capacity)
    }

    /// The number of older events that are no longer kept.
    public var droppedCount: Int { state.withLock { max(0, $0.count + $0.newest.count - capacity) } }

    /// Records an event.
    public func receive(_ event: LoadEvent) {
        // A piece is released outside the lock: it may hold the last references to objects of the program.
        _ = state.withLock { state -> [LoadEvent]? in
            state.newest.append(event)
            if state.newest.count < Self.pieceSize { return nil }
            return state.beginPiece(keeping: (capacity - 1) / Self.pieceSize + 1)
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
