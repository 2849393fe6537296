import Alcedo
import AlcedoTestSupport
import Foundation

/// Events and metrics.
enum EventCases {
    static let all: [BenchCase] = [
        // Per stage: its begin and end events.
        .timed("events/recorder", target: 120, ours: { recorder() }),
        .timed("events/histogram", target: nil, ours: { histogram() }),
        // A load from a scripted transport, compared with the same load without a sink.
        .timed(
            "events/miss-recorded", target: nil, ours: { try misses(recorded: true) },
            baseline: .init("no sink") { try misses(recorded: false) }),
    ]

    private static func recorder() -> Workload {
        let recorder = LoadRecorder()
        let (load, url) = (LoadID(), URL(string: "http://host.test/a.png"))
        let began = LoadEvent(load: load, url: url, kind: .began(.decode))
        let ended = LoadEvent(
            load: load, url: url, kind: .ended(.decode, StageOutcome(duration: .milliseconds(1), bytes: 1_000)))
        return Workload { count in
            for _ in 0..<count {
                recorder.receive(began)
                recorder.receive(ended)
            }
            blackHole(recorder.droppedCount)
        }
    }

    private static func histogram() -> Workload {
        Workload { count in
            var histogram = DurationHistogram()
            for number in 0..<count { histogram.record(.nanoseconds(number &* 7_919)) }
            guard histogram.count == count else { throw BenchError("\(histogram.count) of \(count) are counted") }
        }
    }

    private static func misses(recorded: Bool) throws -> Workload {
        let png = try Pictures.png()
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(png) }
        if recorded { configuration.eventSinks = [LoadRecorder()] }
        let loader = ImageLoader(configuration)
        let url = try Scripted.url("recorded.png")
        return Workload { count in
            for _ in 0..<count {
                blackHole(try await loader.image(for: url))
                await loader.memoryCache.removeAll()
            }
        }
    }
}
