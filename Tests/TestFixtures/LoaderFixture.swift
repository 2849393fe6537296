import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// A loader over a scripted transport, with caches of its own.
struct LoaderFixture {
    let temporary: TemporaryDirectory
    let transport: ScriptedDataLoader
    let events = Recorder<LoadEvent.Kind>()
    /// The same, with their loads, URLs and times.
    let recorder = LoadRecorder()
    let calls = FaultySystemCalls()
    var configuration = ImageLoader.Configuration()

    init(_ transport: ScriptedDataLoader) throws {
        self.transport = transport
        temporary = try TemporaryDirectory()
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        configuration.dataLoader = transport
        // Each load asks the transport once; the tests of retries and of remembered failures say otherwise.
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        // So that no load waits until it is known how much memory there is.
        configuration.download.response.maximumBytes = 200 << 20
        configuration.memory.maximumBytes = 768 << 20
        // That of the process is shared with other tests.
        configuration.download.bodyBudget = BodyBudget(byteLimit: 64 << 20)
        configuration.eventSinks = [recorder]
        configuration.onEvent { [events] in events.record($0.kind) }
    }

    /// A loader as a program would make it after a start.
    func makeLoader() -> ImageLoader { ImageLoader(configuration, calls: calls) }

    /// Suspends until so many callers have joined a load under way.
    func untilCoalesced(_ count: Int) async {
        await events.wait { $0.count { if case .coalesced = $0 { true } else { false } } >= count }
    }

    var cacheFailures: [CacheFailure] {
        events.values.compactMap { if case .cacheFailed(let failure) = $0 { failure } else { nil } }
    }
}

extension ImageLoader {
    /// What the disk cache knows of the bytes of `request`.
    func diskEntry(for request: ImageRequest) async -> DiskEntry? {
        await path.flights.settle()
        return await diskCache?.entry(for: key(for: request).original)
    }
}

extension URL {
    /// A URL of a host that is never asked.
    static func test(_ path: String = "a.png") throws -> URL {
        try #require(URL(string: "http://host.test/\(path)"))
    }
}
