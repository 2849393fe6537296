import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Looks into a loader's disk cache.
@Suite(.timeLimit(.minutes(1))) struct DiskLookTests {
    @Test func lookUps_waitForStores_andNotForTheDevice() async throws {
        let picture = try Pictures.png()
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
        fixture.configuration.disk?.synchronization = .onFlush
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test()
        _ = try await loader.image(for: request)
        #expect(await loader.diskEntry(for: request) != nil)
        // The names of the directories that were made.
        #expect(fixture.calls.count(of: .synchronize) == 2)
        #expect(await loader.diskCache?.entries().count == 1)
        #expect(await loader.diskCache?.verify().wholeCount == 1)
        #expect(await loader.diskCache?.remove(.prefix("none")).isEmpty == true)
        #expect(fixture.calls.count(of: .synchronize) == 2)
        await loader.flush()
        #expect(fixture.calls.count(of: .synchronize) == 4)
    }

    @Test func damagedEntry_isReported_andDownloadedAgain() async throws {
        let picture = try Pictures.png()
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
        let first = fixture.makeLoader()
        _ = try await first.image(for: .test())
        let file = try #require(await first.diskEntry(for: .test())).file
        var bytes = try Data(contentsOf: file)
        bytes[20] ^= 1
        try bytes.write(to: file)
        let second = fixture.makeLoader()
        #expect(try await second.response(for: .test()).source == .network)
        #expect(fixture.cacheFailures.map(\.operation) == [.read])
        await second.flush()
        #expect(try await fixture.makeLoader().response(for: .test()).source == .disk)
    }

    @Test func removingAll_waitsForNoDeletion() async throws {
        let (gate, picture) = (ThreadGate(), try Pictures.png())
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
        let loader = fixture.makeLoader()
        for name in ["a", "b", "c"] { _ = try await loader.image(for: .test(name)) }
        await loader.flush()
        fixture.calls.hold(.unlink, on: "/discarded/", at: gate)
        await loader.removeAll()
        #expect(await loader.diskCache?.entries().isEmpty == true)
        #expect(try fixture.temporary.names(in: "cache/entries").isEmpty)
        gate.open()
    }
}
