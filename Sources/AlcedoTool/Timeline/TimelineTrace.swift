import Alcedo
import Foundation

/// A timeline in the Trace Event Format, which chrome://tracing and ui.perfetto.dev open. Each load is a thread.
struct TimelineTrace: Encodable {
    private struct Event: Encodable {
        var name: String
        var cat = "alcedo"
        /// X: a complete event. M: metadata.
        var ph: String
        /// The start in microseconds.
        var ts: Double?
        var dur: Double?
        var pid = 1
        var tid: UInt64
        var args: [String: String]
    }

    private let displayTimeUnit = "ms"
    private let traceEvents: [Event]

    init(_ timeline: Timeline) { traceEvents = timeline.bars.flatMap(Self.events) }

    private static func events(of bar: Timeline.Bar) -> [Event] {
        let thread = UInt64(bar.load.description) ?? 0
        let url = bar.url.map { ShownText.of(url: $0.absoluteString) } ?? "(bytes)"
        var whole = ["url": url, "outcome": outcome(of: bar)]
        if let leader = bar.leader { whole["sharedWith"] = leader.description }
        let name = Event(name: "thread_name", ph: "M", tid: thread, args: ["name": url])
        let load = event("load", from: bar.start, to: bar.end, thread, whole)
        return [name, load]
            + bar.segments.map { event($0.stage.rawValue, from: $0.start, to: $0.end, thread, arguments(of: $0)) }
    }

    private static func event(
        _ name: String, from start: Duration, to end: Duration, _ thread: UInt64, _ arguments: [String: String]
    ) -> Event {
        Event(
            name: name, ph: "X", ts: start / .microseconds(1), dur: (end - start) / .microseconds(1), tid: thread,
            args: arguments)
    }

    private static func arguments(of segment: Timeline.Segment) -> [String: String] {
        var arguments: [String: String] = [:]
        if let bytes = segment.bytes { arguments["bytes"] = "\(bytes)" }
        if let error = segment.error { arguments["error"] = ErrorText.of(error) }
        let flags: [(LoadFlags, String)] = [
            (.cached, "cached"), (.coalesced, "coalesced"), (.resumed, "resumed"), (.stale, "stale"),
            (.revalidated, "revalidated"), (.reusedConnection, "reused connection"),
        ]
        let words = flags.filter { segment.flags.contains($0.0) }.map(\.1)
        if !words.isEmpty { arguments["flags"] = words.joined(separator: ", ") }
        return arguments
    }

    private static func outcome(of bar: Timeline.Bar) -> String {
        switch bar.ending {
        case .loaded(let source): source.rawValue
        case .failed(let error): ErrorText.of(error)
        case .underWay: "under way"
        }
    }
}
