import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// A loader over a scripted transport, with separate caches.
struct LoaderFixture {
    let temporary: TemporaryDirectory
    let transport: ScriptedDataLoader
    let events = Recorder<LoadEvent.Kind>()
    /// The same events, with their loads, URLs and times.
    let recorder = LoadRecorder()
    let calls = FaultySystemCalls()
    var configuration = ImageLoader.Configuration()

    init(_ transport: ScriptedDataLoader) throws {
        self.transport = transport
        temporary = try TemporaryDirectory()
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        configuration.dataLoader = transport
        // By default, each load asks the transport once, and failures aren't remembered.
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        // With fixed limits, no load waits until the amount of memory is known.
        configuration.download.response.maximumBytes = 200 << 20
        configuration.memory.maximumBytes = 768 << 20
        // The process's own budget is shared with other tests.
        configuration.download.bodyBudget = BodyBudget(byteLimit: 64 << 20)
        configuration.eventSinks = [recorder]
        configuration.onEvent { [events] in events.record($0.kind) }
    }

    /// Creates a loader, as a program does at its start.
    func makeLoader() -> ImageLoader { ImageLoader(configuration, calls: calls) }

    /// Suspends until at least `count` callers have joined a running load.
    func untilCoalesced(_ count: Int) async {
        await events.wait { $0.count { if case .coalesced = $0 { true } else { false } } >= count }
    }

    var cacheFailures: [CacheFailure] {
        events.values.compactMap { if case .cacheFailed(let failure) = $0 { failure } else { nil } }
    }
}

extension ImageLoader {
    /// The disk cache's entry for the original bytes of `request`.
    func diskEntry(for request: ImageRequest) async -> DiskEntry? {
        await path.flights.ended { flight, _ in flight.hasLanded }
        return await diskCache?.entry(for: key(for: request).original)
    }
}

extension URL {
    /// A URL of a host that is never contacted.
    static func test(_ path: String = "a.png") throws -> URL {
        try #require(URL(string: "http://host.test/\(path)"))
    }
}
