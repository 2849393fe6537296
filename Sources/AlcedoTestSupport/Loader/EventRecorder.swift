public import Alcedo
public import Foundation

/// Records the events of loaders, and lets a test wait for one.
///
/// ```swift
/// let events = EventRecorder()
/// configuration.eventSinks = [events]
/// ```
///
/// Each event is returned once, even if it arrived before the test waited for it, so a test can follow several loads of
/// one image. Safe to use from any isolation.
public final class EventRecorder: LoadEventSink {
    private struct State {
        var events: [LoadEvent] = []
        /// The indices in `events` of the events that were already returned.
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

    /// All events so far, in order of arrival, including those already returned.
    public var events: [LoadEvent] { state.snapshot.events }

    /// Records an event.
    public func receive(_ event: LoadEvent) { state.update { $0.events.append(event) } }

    /// Waits for an event that satisfies `condition`, and returns the first one that wasn't returned before.
    ///
    /// `condition` is called under a lock, so it must not call back into the recorder. Throws `CancellationError` if
    /// the calling Task is cancelled.
    public func next(where condition: @escaping @Sendable (LoadEvent) -> Bool) async throws -> LoadEvent {
        try await state.wait { $0.take(condition) }
    }

    /// Waits until a load of the image at `url` has ended, and returns its last event: `loaded` or `failed`.
    ///
    /// If several callers requested the image, each load has its own end, and each call of this function returns one of
    /// them. A cancelled load ends as failed, unless it was cancelled before it began: then it has no events. Throws
    /// `CancellationError` if the calling Task is cancelled.
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
