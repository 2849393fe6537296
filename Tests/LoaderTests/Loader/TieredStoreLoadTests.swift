import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Loaders of several machines, which share a store.
@Suite(.timeLimit(.minutes(1))) struct TieredStoreLoadTests {
    private let origin: ChangingOrigin
    private let shared = HeldStore()
    private let clock = ManualClock()
    private let failures = Recorder<CacheFailure>()

    init() throws { origin = try ChangingOrigin() }

    private var time: TimeSource {
        TimeSource(clock, secondsSince1970: { [origin] in origin.state.withLock { $0.second } })
    }

    /// A loader of another machine.
    private func makeLoader(
        _ local: InMemoryStore = InMemoryStore(), secret: UInt8? = nil,
        _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> ImageLoader {
        var settings = StoredTier.Settings()
        settings.contents = .both
        settings.secret = secret.map { Data(repeating: $0, count: 32) }
        let store = try TieredStore(local: local, shared: shared, .init(), time: time) { _ in }
        let tier = try StoredTier(store, settings, time: time) { [failures] in failures.record($0) }
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = origin.transport
        configuration.timeOfDay = { [origin] in origin.state.withLock { $0.second } }
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        change(&configuration)
        return ImageLoader(configuration, store: tier)
    }

    private func small(_ change: (inout ImageRequest) -> Void = { _ in }) throws -> ImageRequest {
        try .test {
            $0.targetSize = PixelSize(width: 20, height: 20)
            change(&$0)
        }
    }

    @Test func imageOfOneMachine_isFoundByTheNext_andKept() async throws {
        let first = try makeLoader()
        #expect(try await first.response(for: small()).source == .network)
        await first.flush()
        #expect(shared.memory.entryCount == 2)
        let local = InMemoryStore()
        #expect(try await makeLoader(local).response(for: small()).source == .disk)
        #expect(local.entryCount == 1 && origin.requestCount == 1 && failures.values.isEmpty)
        shared.memory.failure = .storeFailed(UnderlyingError(CocoaError(.fileReadUnknown)))
        #expect(try await makeLoader(local).response(for: small()).source == .disk)
    }

    /// As `.server` does.
    @Test func loadersWithANetworkPolicy_shareImages_ifTheyHaveTheSameSecret() async throws {
        let restrict = { (configuration: inout ImageLoader.Configuration) in
            configuration.download.network = .publicInternet
        }
        let first = try makeLoader(secret: 1, restrict)
        _ = try await first.image(for: small())
        await first.flush()
        #expect(shared.memory.entryCount == 2)
        #expect(try await makeLoader(secret: 1, restrict).response(for: small()).source == .disk)
        #expect(try await makeLoader(secret: 2, restrict).response(for: small()).source == .network)
        #expect(try await makeLoader(secret: 1).response(for: small()).source == .network)
    }

    @Test(arguments: ["private, max-age=60", nil])
    func privateImage_andWhatIsMadeOfIt_stayOnTheirMachine(_ control: String?) async throws {
        if let control { origin.change { $0.headers["Cache-Control"] = control } }
        let request = try small { if control == nil { $0.credentials = .init(user: "a", password: "b") } }
        let local = InMemoryStore()
        let first = try makeLoader(local)
        #expect(try await first.response(for: request).source == .network)
        await first.flush()
        #expect(local.entryCount == 2 && shared.memory.entryCount == 0)
        #expect(try await makeLoader().response(for: request).source == .network)
    }

    @Test func imageThatBecomesPrivate_isRemovedFromTheSharedStore() async throws {
        let local = InMemoryStore()
        let first = try makeLoader(local)
        _ = try await first.image(for: small())
        await first.flush()
        #expect(shared.memory.entryCount == 2)
        origin.change { $0.headers["Cache-Control"] = "private, max-age=60" }
        origin.pass(70)
        let second = try makeLoader(local)
        _ = try await second.image(for: small())
        await second.flush()
        #expect(origin.conditionalCount == 1 && local.entryCount == 2 && shared.memory.entryCount == 0)
    }

    @Test func deafSharedStore_delaysALookUpUntilItsTimeout() async throws {
        shared.reads.hold()
        let loader = try makeLoader()
        async let response = loader.response(for: small())
        for number in 1...2 {
            // The scaled image, then the bytes.
            let end = ManualClock.Instant(offset: .milliseconds(100 * number))
            try await clock.sleeper(until: end)
            clock.advance(to: end)
        }
        #expect(try await response.source == .network)
        #expect(failures.values.isEmpty)
        shared.reads.open()
    }

    @Test func failedRemoval_isRepeated_beforeTheSourceIsStoredAgain() async throws {
        let local = InMemoryStore()
        let loader = try makeLoader(local)
        _ = try await loader.image(for: small())
        await loader.flush()
        origin.change { $0.widths["/a.png"] = 44 }
        shared.memory.failure = .storeFailed(UnderlyingError(CocoaError(.fileReadUnknown)))
        await #expect(throws: ImageLoaderError.self) { try await loader.remove(.url(#require(small().url))) }
        #expect(local.entryCount == 0)
        shared.memory.failure = nil
        // The shared store still has the old image.
        #expect(shared.memory.entryCount == 2)
        let response = try await loader.response(for: small())
        #expect(response.source == .network && response.image.originalSize.width == 44)
        await loader.flush()
        #expect(shared.memory.entryCount == 2)
        #expect(try await makeLoader().image(for: small()).originalSize.width == 44)
    }
}
