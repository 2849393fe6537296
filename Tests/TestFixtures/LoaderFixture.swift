import AlcedoTestSupport
import Foundation
import Synchronization
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
    private let tiers = Tiers()

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
    ///
    /// - Parameter configuration: A changed configuration; nil for the fixture's.
    func makeLoader(_ configuration: ImageLoader.Configuration? = nil) -> ImageLoader {
        var configuration = configuration ?? self.configuration
        let tier = tiers.tier(configuration, temporary, calls) { [events] in events.record(.cacheFailed($0)) }
        configuration.setsDisk = tier == nil && configuration.setsDisk
        return ImageLoader(configuration, Owners(memory: nil, disk: tier, downloads: nil), calls: calls)
    }

    /// Suspends until at least `count` callers have joined a running load.
    func untilCoalesced(_ count: Int) async {
        await events.wait { $0.count { if case .coalesced = $0 { true } else { false } } >= count }
    }

    var cacheFailures: [CacheFailure] {
        events.values.compactMap { if case .cacheFailed(let failure) = $0 { failure } else { nil } }
    }

    /// The tiers over one store of ``StoreKind/current``, by their settings.
    private final class Tiers: Sendable {
        private let kind = StoreKind.current
        private let state = Mutex<(store: (any ImageStore)?, tiers: [StoredTier.Settings: StoredTier])>((nil, [:]))

        /// Returns nil if the loader's tier is a disk cache, or if it has none.
        func tier(
            _ configuration: ImageLoader.Configuration, _ directory: TemporaryDirectory, _ calls: any SystemCalls,
            onFailure: @escaping @Sendable (CacheFailure) -> Void
        ) -> StoredTier? {
            guard let kind, let disk = configuration.disk else { return nil }
            let time = TimeSource(configuration.clock, secondsSince1970: configuration.timeOfDay)
            var settings = StoredTier.Settings()
            (settings.contents, settings.timeToLive) = (disk.contents, disk.timeToLive)
            // No test depends on the speed of a store.
            settings.deadline = nil
            settings.secret = Data(repeating: 1, count: 32)
            return state.withLock { [settings] state in
                if let tier = state.tiers[settings] { return tier }
                let store = state.store ?? kind.makeStore(in: directory, calls: calls, time: time)
                state.store = store
                do throws(ImageLoaderError) {
                    state.tiers[settings] = try StoredTier(store, settings, time: time, onEvent: onFailure)
                } catch {
                    Issue.record(error)
                }
                return state.tiers[settings]
            }
        }
    }
}

extension ImageLoader {
    /// Everything in the disk tier, whatever store it has.
    func storedEntries() async throws -> [StoredMetadata] {
        guard let store = storedTier?.store else { return [] }
        return try await store.listed(.all).get()
    }

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
