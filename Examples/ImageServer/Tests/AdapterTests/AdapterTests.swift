import Adapters
import Alcedo
import AlcedoTestSupport
import CoreMetrics
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

/// Load events in the server ecosystem's own APIs. Their backends can be set only once per process.
@Suite(.serialized, .timeLimit(.minutes(1))) struct AdapterTests {
    private static let metrics: TestMetrics = {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()
    private static let tracer: InMemoryTracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    private let url: URL
    private let png: Data

    init() throws {
        url = try #require(URL(string: "https://user:secret@host.test/a.png"))
        png = try Pictures.png(width: 8, height: 6)
    }

    private func makeLoader(_ sink: some LoadEventSink, _ reply: ScriptedDataLoader.Answer) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.retry = .none
        configuration.dataLoader = ScriptedDataLoader { _ in reply }
        configuration.eventSinks = [sink]
        return ImageLoader(configuration)
    }

    @Test func log_hasFailuresAsWarnings() async throws {
        let handler = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in handler }
        await #expect(throws: ImageLoaderError.badStatus(404)) {
            try await makeLoader(LogSink(logger), .status(404)).image(for: url)
        }
        let entry = try #require(handler.entries.first { $0.level == .warning })
        #expect("\(entry.message)" == "failed" && entry.metadata["url"] == "https://host.test/a.png")
        #expect(entry.metadata["error"].map { "\($0)" }?.contains("404") == true)
    }

    @Test func metrics_haveLoadsAndStages() async throws {
        let metrics = Self.metrics
        _ = try await makeLoader(MetricsSink(), .bytes(png)).image(for: url)
        #expect(try metrics.expectTimer("alcedo.load.duration", [("source", "network")]).values.count == 1)
        #expect(try metrics.expectTimer("alcedo.stage.duration", [("stage", "decode")]).values.count == 1)
        #expect(try metrics.expectCounter("alcedo.received.bytes").totalValue == png.count)
        await #expect(throws: ImageLoaderError.badStatus(404)) {
            try await makeLoader(MetricsSink(), .status(404)).image(for: url)
        }
        #expect(try metrics.expectTimer("alcedo.load.duration", [("error", "badStatus")]).values.count == 1)
    }

    @Test func trace_hasStagesBelowTheLoad_belowTheCaller() async throws {
        let tracer = Self.tracer
        let loader = makeLoader(TracingSink(), .bytes(png))
        _ = try await withSpan("caller") { _ in try await loader.image(for: url) }
        let spans = tracer.popFinishedSpans()
        let caller = try #require(spans.first { $0.operationName == "caller" })
        let load = try #require(spans.first { $0.operationName == "image load" })
        #expect(load.parentSpanID == caller.spanID && load.traceID == caller.traceID)
        let download = try #require(spans.first { $0.operationName == "image download" })
        #expect(download.parentSpanID == load.spanID && download.errors.isEmpty)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func trace_hasErrors() async throws {
        let tracer = Self.tracer
        let loader = makeLoader(TracingSink(), .status(500))
        await #expect(throws: ImageLoaderError.badStatus(500)) { try await loader.image(for: url) }
        let load = try #require(tracer.popFinishedSpans().first { $0.operationName == "image load" })
        #expect(load.status?.code == .error && load.errors.count == 1)
        #expect(tracer.activeSpans.isEmpty)
    }
}
