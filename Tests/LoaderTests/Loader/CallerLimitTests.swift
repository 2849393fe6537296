import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// How many callers wait.
@Suite(.timeLimit(.minutes(1))) struct CallerLimitTests {
    private let transport = ScriptedDataLoader()
    private let loader: ImageLoader
    private let png: Data

    init() throws {
        png = try Pictures.png()
        var fixture = try LoaderFixture(transport)
        fixture.configuration.disk = nil
        fixture.configuration.maximumConcurrentLoads = 2
        loader = fixture.makeLoader()
    }

    private static let refusal = ImageLoaderError.overloaded(allowed: 2)

    @Test(arguments: ["image", "data", "encoded", "handle"])
    func furtherCaller_isRefusedAtOnce(kind: String) async throws {
        _ = try await waiting("known", answered: true)
        let first = try await waiting("a.png")
        let second = try await waiting("b.png")
        let request = try ImageRequest.test("c.png")
        await #expect(throws: Self.refusal) {
            switch kind {
            case "image": _ = try await loader.image(for: request)
            case "data": _ = try await loader.data(for: request)
            case "encoded": _ = try await loader.encoded(for: request)
            default: _ = try await loader.imageTask(for: request).value
            }
        }
        #expect(transport.callCount == 3)
        // An image in memory needs no place.
        _ = try await loader.image(for: .test("known"))
        first.call.answer(png)
        _ = try await first.load.value
        let third = try await waiting("c.png")
        for waiting in [second, third] {
            waiting.load.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await waiting.load.value }
        }
        _ = try await waiting("d.png", answered: true)
    }

    private func waiting(
        _ name: String, answered: Bool = false
    ) async throws -> (load: Task<DecodedImage, any Error>, call: ScriptedDataLoader.Call) {
        let load = Task { [loader, url = try URL.test(name)] in try await loader.image(for: url) }
        let call = try await transport.nextCall()
        if answered {
            call.answer(png)
            _ = try await load.value
        }
        return (load, call)
    }
}
