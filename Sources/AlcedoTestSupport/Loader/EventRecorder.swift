public import Alcedo
public import Foundation

/// Records the events of loaders, and lets a test wait for one.
///
/// ```swift
/// let events = EventRecorder()
/// configuration.eventSinks = [events]
/// ```
///
/// Each event is handed out once, also one that came before the test waits for it, so a test can follow several loads
/// of one image. Safe to use from any isolation.
public final class EventRecorder: LoadEventSink {
    private struct State {
        var events: [LoadEvent] = []
        /// The places in `events` of those that were handed out.
        var taken: Set<Int> = []

        mutating func take(_ isWanted: (LoadEvent) -> Bool) -> LoadEvent? {
            guard let index = events.indices.first(where: { !taken.contains($0) && isWanted(events[$0]) }) else {
                return nil
            }
            taken.insert(index)
            return events[index]
        }
    }

    private let state = Handshake(State())

    /// Creates a recorder without events.
    public init() {}

    /// All events so far, in the order in which they arrived, including those that were handed out.
    public var events: [LoadEvent] { state.snapshot.events }

    /// Records an event.
    public func receive(_ event: LoadEvent) { state.update { $0.events.append(event) } }

    /// Waits for an event that satisfies `condition`, and returns the first that wasn't handed out before.
    ///
    /// `condition` is called under a lock, so it must not call back into the recorder. Throws `CancellationError` if
    /// the calling Task is cancelled.
    public func next(where condition: @escaping @Sendable (LoadEvent) -> Bool) async throws -> LoadEvent {
        try await state.wait { $0.take(condition) }
    }

    /// Waits until a load of the image at `url` has ended, and returns its last event: `loaded` or `failed`.
    ///
    /// If several callers asked for the image, each has an end of its own, and each call of this function returns one.
    /// A load that is cancelled fails, unless that happens before it begins: then it has no events.
    /// Throws `CancellationError` if the calling Task is cancelled.
    public func nextEnd(of url: URL) async throws -> LoadEvent {
        try await next { event in
            guard event.url == url else { return false }
            switch event.kind {
            case .loaded, .failed: return true
            default: return false
            }
        }
    }
}
