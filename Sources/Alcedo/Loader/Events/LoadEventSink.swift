import Foundation

/// Receives the events of a loader.
///
/// ``LoadRecorder`` keeps them, ``LoadLog`` writes them as lines, and on Apple's systems `LoadSignposts` passes them to
/// Instruments. A closure is added with ``ImageLoader/Configuration/onEvent(_:)``.
public protocol LoadEventSink: Sendable {
    /// Receives an event, on any thread. Events of different loads may arrive concurrently. The load waits until this
    /// function returns, so it should be quick. It may start loads, but must not wait for them.
    ///
    /// ``ImageLoader/imageTask(for:)-(ImageRequest)`` and ``LoadTask/cancel()`` call it too. Don't call these while you
    /// hold a lock that the sink takes.
    func receive(_ event: LoadEvent)
}

/// A sink that calls a closure.
struct EventHandler: LoadEventSink {
    let handle: @Sendable (LoadEvent) -> Void

    func receive(_ event: LoadEvent) { handle(event) }
}

/// A loader's sinks, and the clock for the times of events.
struct EventReport: Sendable {
    private let sinks: [any LoadEventSink]
    private let time: TimeSource

    /// Nil if there are no sinks, so that no events are created for them.
    init?(_ sinks: [any LoadEventSink], _ time: TimeSource) {
        if sinks.isEmpty { return nil }
        self.sinks = sinks
        self.time = time
    }

    var now: Duration { time.now() }

    func callAsFunction(_ load: LoadID, _ url: URL?, _ kind: LoadEvent.Kind) {
        send(LoadEvent(load: load, url: url, time: now, kind: kind))
    }

    /// Reports an event that belongs to no load.
    func callAsFunction(_ kind: LoadEvent.Kind) { send(LoadEvent(time: now, kind: kind)) }

    @inline(never) func send(_ event: LoadEvent) { for sink in sinks { sink.receive(event) } }
}
