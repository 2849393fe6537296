import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What loads of several sizes that share a download store and replace.
@Suite(.timeLimit(.minutes(1))) struct SharedReplacementTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture

    init() throws {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.disk?.contents = .originals
        self.fixture = fixture
    }

    private func request(_ width: Int, _ policy: CacheReadPolicy? = nil) throws -> ImageRequest {
        try .test {
            $0.targetSize = PixelSize(width: width, height: width)
            if let policy { $0.readPolicy = policy }
        }
    }

    @Test func sharedDownload_isStoredOnce() async throws {
        let loader = fixture.makeLoader()
        async let small = loader.image(for: request(20))
        let call = try await transport.nextCall()
        async let large = loader.image(for: request(40))
        await fixture.untilCoalesced(1)
        call.answer(try Pictures.png(80, 60))
        _ = try await (small, large)
        await loader.flush()
        #expect(await loader.diskCache?.statistics.stores == 1)
    }

    /// No response is known for it, so it may not be the current image.
    @Test func imageOfTheProgram_isReplaced_inAllSizes_byReload() async throws {
        let loader = fixture.makeLoader()
        let own = try request(40)
        try await loader.store(DecodedImage(bitmap: try Pictures.plain(40, 30)), for: own, in: .memory)
        #expect(loader.cachedImage(for: own) != nil)
        async let reloaded = loader.image(for: request(20, .reload))
        try await transport.nextCall().answer(try Pictures.png(80, 60))
        _ = try await reloaded
        #expect(loader.cachedImage(for: own) == nil)
    }

    /// The store alone was told to remove it, so the coordinator doesn't know.
    @Test func removalFromDiskStore_endsJoining() async throws {
        let loader = fixture.makeLoader()
        async let first = loader.image(for: request(20))
        let earlier = try await transport.nextCall()
        await loader.diskCache?.remove(loader.key(for: try request(20)).original)
        async let second = loader.image(for: request(40))
        await fixture.events.wait { events in
            events.contains { if case .coalesced = $0 { true } else { false } }
                || events.count { if case .began(.download) = $0 { true } else { false } } == 2
        }
        let isAnew = fixture.events.values.count { if case .began(.download) = $0 { true } else { false } } == 2
        #expect(isAnew)
        earlier.answer(try Pictures.png(80, 60))
        _ = try await first
        if isAnew { try await transport.nextCall().answer(try Pictures.png(80, 60)) }
        _ = try await second
        await loader.flush()
        #expect(await loader.contains(try request(40), in: .disk))
    }
}
