import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// Looks into a loader's disk cache.
@Suite(.timeLimit(.minutes(1))) struct DiskLookTests {
    @Test func looks_waitForWhatIsStored_andNotForTheDevice() async throws {
        let picture = try Pictures.png()
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
        fixture.configuration.disk?.synchronization = .onFlush
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test()
        _ = try await loader.image(for: request)
        #expect(await loader.diskEntry(for: request) != nil)
        #expect(await loader.diskEntries().count == 1)
        #expect(await loader.verifyDisk().whole == 1)
        #expect(await loader.removeFromDisk(.prefix("none")).isEmpty)
        #expect(fixture.calls.count(of: .synchronize) == 0)
        await loader.flush()
        #expect(fixture.calls.count(of: .synchronize) == 2)
    }
}
