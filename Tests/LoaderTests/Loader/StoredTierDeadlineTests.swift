import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Loads over a store that is slow, or never answers.
@Suite(.timeLimit(.minutes(1))) struct StoredTierDeadlineTests {
    private let origin: ChangingOrigin
    private let memory = InMemoryStore()
    /// The point at which look-ups wait.
    private let reads = Hold()
    private let writes = Hold()
    private let clock = ManualClock()
    private let failures = Recorder<CacheFailure>()
    private let tier: StoredTier

    init() throws {
        origin = try ChangingOrigin()
        var settings = StoredTier.Settings()
        settings.contents = .both
        let time = TimeSource(clock, secondsSince1970: { [origin] in origin.state.withLock { $0.second } })
        let store = WrappedStore(memory) { [reads, writes] call in
            switch call {
            case .entry: await reads.pass()
            case .store: await writes.pass()
            case .list, .removal: break
            }
        }
        tier = try StoredTier(store, settings, time: time) { [failures] in failures.record($0) }
    }

    /// A loader with an empty memory cache.
    private func makeLoader() -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = origin.transport
        configuration.timeOfDay = { [origin] in origin.state.withLock { $0.second } }
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        return ImageLoader(configuration, store: tier)
    }

    private func small() throws -> ImageRequest {
        try .test { $0.targetSize = PixelSize(width: 20, height: 20) }
    }

    private func fill() async throws {
        let loader = makeLoader()
        _ = try await loader.image(for: small())
        await loader.flush()
    }

    private let deadline = ManualClock.Instant(offset: .milliseconds(250))

    @Test func slowRead_isAMiss_thatDelaysTheLoadOnce() async throws {
        try await fill()
        reads.hold()
        async let response = makeLoader().response(for: small())
        try await clock.sleeper(until: deadline)
        clock.advance(to: deadline)
        // The time stands still now, so the load waits for no further read.
        #expect(try await response.source == .network)
        // After the load, the store isn't asked for what was made from an earlier image either.
        let reasons = await failures.wait { $0.count >= 3 }.map(\.reason)
        let refusal = "earlier reads still wait for the store"
        #expect(reasons == ["no answer within the store's deadline", refusal, refusal])
        reads.open()
        let loader = makeLoader()
        await loader.flush()
        #expect(try await loader.response(for: small()).source == .disk)
    }

    @Test func cachedOnly_waitsForTheStore() async throws {
        try await fill()
        reads.hold()
        var request = try small()
        request.readPolicy = .cachedOnly
        async let response = makeLoader().response(for: request)
        await reads.arrivals(1)
        clock.advance(by: .seconds(10))
        reads.open()
        #expect(try await response.source == .disk)
        #expect(failures.values.isEmpty)
    }

    @Test func failedServer_isReplacedByAStaleEntry_howeverLate() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-if-error=60" }
        try await fill()
        origin.pass(70)
        origin.change { $0.failure = .status(503) }
        reads.hold()
        async let response = makeLoader().response(for: small())
        try await clock.sleeper(until: deadline)
        clock.advance(to: deadline)
        // The read that was late, and the one after the failure.
        await reads.arrivals(2)
        clock.advance(by: .seconds(10))
        reads.open()
        let stale = try await response
        #expect(stale.source == .disk && stale.staleReason == .afterError)
    }

    @Test func slowWrite_continuesBehindTheLoad_andRemovalFollowsIt() async throws {
        writes.hold()
        let loader = makeLoader()
        async let image = loader.image(for: .test())
        await writes.arrivals(1)
        try await clock.sleeper(until: deadline)
        clock.advance(to: deadline)
        _ = try await image
        #expect(await loader.activity.pendingWrites > 0)
        let request = try ImageRequest.test()
        async let removed: Void = loader.remove(request)
        writes.open()
        await removed
        await loader.flush()
        #expect(memory.entryCount == 0)
        #expect(await loader.activity.pendingWrites == 0)
    }

    @Test func cancelledLoad_doesNotWaitForTheStore() async throws {
        reads.hold()
        let loader = makeLoader()
        let load = Task { try await loader.image(for: small()) }
        await reads.arrivals(1)
        load.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        reads.open()
        #expect(origin.requestCount == 0)
    }

    @Test func lateReads_areLimited() {
        let late = LateReads()
        let end = late.begin(1)
        #expect(!late.permit(1) && late.permit(2))
        end()
        #expect(late.permit(1))
        // Many views that scroll by cancel theirs.
        let ends = (0..<1_023).map { _ in late.begin(nil) }
        #expect(late.permit(1))
        let last = late.begin(nil)
        #expect(!late.permit(1))
        for end in ends + [last] { end() }
        let others = (2..<66).map { late.begin($0) }
        #expect(!late.permit(1))
        others[0]()
        #expect(late.permit(1) && late.permit(2) && !late.permit(3))
    }
}
