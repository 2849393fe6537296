import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Loads that are between two URLs while all loads are cancelled.
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
        withKnownIssue("Only those who wait for a flight are cancelled.") {
            #expect(throws: ImageLoaderError.cancelled) { try result.get() }
        }
    }
}
