import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Loads that no flight has while all loads are cancelled.
@Suite(.timeLimit(.minutes(1))) struct CancelAllTests {
    /// No flight has it then, so nothing is found to cancel.
    @Test func loadBetweenTwoURLs_isCancelled() async throws {
        let png = try Pictures.png()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) }).makeLoader()
        var request = try ImageRequest.test("a.png")
        request.fallbacks = [try .test("b.png")]
        let result = await Task { [request] in
            try await loader.path.first(of: request, nil, decodes: true) {
                (next, isFallback) async throws(ImageLoaderError) -> LoadedImage in
                guard isFallback else {
                    await loader.cancelAll()
                    throw .badStatus(404)
                }
                return try await loader.path.image(for: next)
            }
        }.result
        #expect(throws: ImageLoaderError.cancelled) { try result.get() }
    }

    /// It is in the disk's look-up then, and would download what is missing.
    @Test func loadOfBytes_isCancelled_beforeItsDownload() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(Data()) })
        let png = try Pictures.png()
        var request = try ImageRequest.test()
        let first = fixture.makeLoader()
        try await first.store(png, for: request)
        await first.flush()
        request.readPolicy = .revalidate
        let loader = fixture.makeLoader()
        let gate = ThreadGate()
        fixture.calls.hold(.open, on: "/entries/", at: gate)
        let bytes = Task { [request] in try await loader.data(for: request) }
        await gate.arrivals(1)
        await loader.cancelAll()
        gate.open()
        await #expect(throws: ImageLoaderError.cancelled) { try await bytes.value }
        #expect(fixture.transport.callCount == 0)
    }
}
