import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Where and when a handle's events are reported.
@Suite(.timeLimit(.minutes(1))) struct LoadTaskEventTests {
    private let png: Data

    init() throws { png = try Pictures.png() }

    private func kinds(_ events: [LoadEvent], of load: LoadID) -> [String] {
        events.filter { $0.load == load }.compactMap { event in
            switch event.kind {
            case .requested: "requested"
            case .ended(.memory, _): "memory"
            case .loaded: "loaded"
            case .failed(_, let outcome): outcome.error == .cancelled ? "cancelled" : "failed"
            default: nil
            }
        }
    }

    @Test func handle_reportsBeforeItReturns_andItsEndBeforeItIsCancelled() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] in $0.url.path == "/a.png" ? .bytes(png) : .manual })
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        let requests: [ImageRequest] = [
            try .test(), try .test("other.png"), try .test { $0.targetSize = PixelSize(width: 0, height: 9) },
        ]
        let tasks = requests.map { loader.imageTask(for: $0) }
        tasks[1].cancel()
        #expect(tasks.allSatisfy { $0.result != nil })
        let events = fixture.recorder.events
        #expect(kinds(events, of: tasks[0].id) == ["requested", "memory", "loaded"])
        #expect(kinds(events, of: tasks[1].id) == ["requested", "memory", "cancelled"])
        #expect(kinds(events, of: tasks[2].id) == ["requested", "memory", "failed"])
    }

    /// No lock is held while it is called.
    @Test func sink_startsAndCancelsLoads() async throws {
        let chain = Chain(count: 400)
        var fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        fixture.configuration.disk = nil
        fixture.configuration.eventSinks = [chain]
        let loader = fixture.makeLoader()
        chain.begin(loader, try .test { $0.readPolicy = .reload })
        await chain.ended.wait { $0.count == 1 }
        chain.end()
    }

    private final class Chain: LoadEventSink {
        private let next = Mutex<(loader: ImageLoader, request: ImageRequest)?>(nil)
        private let left: Atomic<Int>
        let ended = Recorder<Void>()

        init(count: Int) { left = Atomic(count) }

        func begin(_ loader: ImageLoader, _ request: ImageRequest) {
            next.withLock { $0 = (loader, request) }
            _ = loader.imageTask(for: request)
        }

        func end() { next.withLock { $0 = nil } }

        func receive(_ event: LoadEvent) {
            guard case .loaded = event.kind, let (loader, request) = next.withLock({ $0 }) else { return }
            if left.subtract(1, ordering: .relaxed).newValue > 0 {
                _ = loader.imageTask(for: request)
                loader.imageTask(for: request).cancel()
            } else {
                ended.record(())
            }
        }
    }
}
