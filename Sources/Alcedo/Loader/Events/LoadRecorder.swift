import Synchronization

/// Records the newest events of loaders, up to a fixed number.
///
/// ```swift
/// let recorder = LoadRecorder()
/// configuration.eventSinks = [recorder]
/// ```
///
/// Recording an event takes a lock to copy a few words, and occasionally to allocate memory. ``events`` copies all
/// events.
public final class LoadRecorder: LoadEventSink {
    /// The events, in pieces. Dropping a whole piece is faster than replacing each event.
    private struct State {
        /// The newest events, which don't fill a piece yet.
        var newest: [LoadEvent] = []
        /// The full pieces before these. A ring, once the maximum number of pieces is reached.
        var older: [[LoadEvent]] = []
        /// The index of the oldest piece.
        var oldest = 0
        /// The number of events that have been moved into full pieces so far.
        var count = 0

        /// Begins a new piece. Returns the oldest piece if it is dropped.
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

    /// The maximum number of events kept.
    public let capacity: Int
    private static let pieceSize = 256
    private let state = Mutex(State())

    /// Creates a recorder.
    ///
    /// - Parameter capacity: The maximum number of events kept, at least 1. Default 10,000, which is about 1,000 loads
    ///   from the network. An event takes about 70 bytes, besides the requests and errors that it refers to. Up to 256
    ///   older events are released late.
    public init(capacity: Int = 10_000) {
        precondition(capacity > 0, "a recorder keeps at least one event, not \(capacity)")
        self.capacity = capacity
    }

    /// The recorded events, oldest first.
    public var events: [LoadEvent] {
        let (older, newest) = state.withLock { ($0.older[$0.oldest...] + $0.older[..<$0.oldest], $0.newest) }
        return (older.joined() + newest).suffix(capacity)
    }

    /// The number of older events that are no longer kept.
    public var droppedCount: Int { state.withLock { max(0, $0.count + $0.newest.count - capacity) } }

    /// Records an event.
    public func receive(_ event: LoadEvent) {
        // The piece is released outside the lock, because it may hold the last references to the program's objects.
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
