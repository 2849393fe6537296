import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What of a secret reaches the disk.
@Suite(.timeLimit(.minutes(1))) struct SecretDigestTests {
    private let png: Data

    init() throws { png = try Pictures.png() }

    private func fixture() throws -> LoaderFixture {
        try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
    }

    private func request() throws -> ImageRequest {
        var request = try ImageRequest.test()
        request.credentials = .init(user: "me", password: "secret")
        return request
    }

    @Test func secretDigest_differs_betweenDirectories() async throws {
        let fixtures = [try fixture(), try fixture()]
        var names: [String] = []
        for fixture in fixtures {
            let loader = fixture.makeLoader()
            _ = try await loader.image(for: try request())
            await loader.flush()
            names += try fixture.temporary.names(in: "cache/entries")
            #expect(try await fixture.makeLoader().response(for: try request()).source == .disk)
        }
        #expect(names.count == 2)
        #expect(Set(names.map { $0.prefix(16) }).count == 1, "the half that is of the URL")
        #expect(Set(names.map { $0.suffix(16) }).count == 2)
    }

    @Test func secretImage_isNotStored_withoutKey() async throws {
        let (fixture, secret) = (try fixture(), try request())
        fixture.calls.fail(.open, on: "/key", with: EACCES)
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: secret).source == .network)
        #expect(try await loader.data(for: secret) == png)
        #expect(await loader.diskEntry(for: secret) == nil)
        #expect(await loader.contains(secret, in: .disk) == false)
        await loader.flush()
        #expect(try fixture.temporary.names(in: "cache/entries").isEmpty)
        #expect(!fixture.cacheFailures.isEmpty)
        #expect(fixture.cacheFailures.allSatisfy { $0.path.hasSuffix("/key") })
        // Others are kept as before.
        #expect(try await loader.response(for: .test("b.png")).source == .network)
        await loader.flush()
        #expect(try fixture.temporary.names(in: "cache/entries").count == 1)
    }

    @Test func removalWithoutKey_removesAllOfURL() async throws {
        let fixture = try fixture()
        let loader = fixture.makeLoader()
        for request in [try request(), try .test(), try .test("b.png")] { _ = try await loader.image(for: request) }
        await loader.flush()
        fixture.calls.fail(.open, on: "/key", with: EACCES)
        let restarted = fixture.makeLoader()
        await restarted.remove(try request())
        #expect(try fixture.temporary.names(in: "cache/entries").count == 1)
        #expect(try await restarted.response(for: .test("b.png")).source == .disk)
    }

    @Test func scaledImage_ofSecretRequest_isFoundAgain() async throws {
        var fixture = try fixture()
        fixture.configuration.disk?.contents = .processed
        var request = try request()
        request.targetSize = PixelSize(width: 4, height: 4)
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request)
        await loader.flush()
        #expect(await fixture.makeLoader().contains(request, in: .disk))
        #expect(try await fixture.makeLoader().response(for: request).source == .disk)
        await loader.remove(request)
        #expect(try fixture.temporary.names(in: "cache/entries").isEmpty)
    }

    @Test func requestWithLargeBody_isFoundAgain() async throws {
        let fixture = try fixture()
        var request = try request()
        request.body = Data(count: 100_000)
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request)
        await loader.flush()
        #expect(try await fixture.makeLoader().response(for: request).source == .disk)
    }
}
