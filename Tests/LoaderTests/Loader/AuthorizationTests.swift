import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Requests with different authorizations share nothing, whatever their responses say.
@Suite(.timeLimit(.minutes(1))) struct AuthorizationTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(token: String? = nil) -> ImageLoader {
        var configuration = fixture.configuration
        if let token { configuration.download.headers["Authorization"] = token }
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ token: String?, side: Int? = nil) throws -> ImageRequest {
        try .test("a.png") {
            $0.headers["Authorization"] = token
            $0.targetSize = side.map { PixelSize(width: $0, height: $0) }
        }
    }

    private func answer(_ cacheControl: String) { origin.change { $0.headers = ["Cache-Control": cacheControl] } }

    private static let controls = ["max-age=60", "private, max-age=60", "public, max-age=60", "public, immutable"]

    @Test(arguments: controls)
    func images_areNotShared(cacheControl: String) async throws {
        answer(cacheControl)
        let first = loader()
        _ = try await first.image(for: request("Bearer 1"))
        await first.flush()
        let restarted = loader()
        for loader in [first, restarted] {
            for token in ["Bearer 2", nil] {
                let other = try request(token)
                #expect(loader.cachedImage(for: other) == nil && loader.cachedResponse(for: other) == nil)
                #expect(loader.memoryResponse(for: other) == nil)
                #expect(!(await loader.contains(other)))
            }
        }
        for token in ["Bearer 2", nil] {
            #expect(try await restarted.response(for: request(token)).source == .network)
        }
        #expect(try await restarted.response(for: request("Bearer 1")).source == .disk)
        #expect(first.cachedImage(for: try request("Bearer 1")) != nil && origin.requestCount == 3)
    }

    @Test(arguments: controls)
    func bytes_areNotShared(cacheControl: String) async throws {
        answer(cacheControl)
        let loader = loader()
        for token in ["Bearer 1", "Bearer 2", nil] {
            #expect(try await loader.dataResponse(for: request(token)).source == .network)
            await loader.flush()
            #expect(try await loader.dataResponse(for: request(token)).source == .disk)
        }
    }

    @Test(arguments: controls)
    func loadersWithOtherTokens_doNotShare(cacheControl: String) async throws {
        answer(cacheControl)
        for token in ["Bearer monday", "Bearer tuesday", nil] {
            let loader = loader(token: token)
            #expect(try await loader.response(for: request(nil)).source == .network)
            await loader.flush()
        }
        #expect(try await loader(token: "Bearer monday").response(for: request(nil)).source == .disk)
    }

    /// What a user saw as `public` may be shown to nobody else once it is `private`.
    @Test(arguments: [true, false])
    func confirmationThatSaysPrivate_showsTheImageToNobodyElse(inMemory: Bool) async throws {
        answer("public, max-age=0")
        var loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        await loader.flush()
        origin.pass(61)
        answer("private, max-age=3600")
        if !inMemory { loader = self.loader() }
        _ = try await loader.image(for: request("Bearer 1"))
        await loader.flush()
        #expect(origin.conditionalCount == 1)
        origin.change { $0.failure = .status(401) }
        for token in ["Bearer 2", nil] {
            #expect(loader.cachedImage(for: try request(token)) == nil)
            await #expect(throws: ImageLoaderError.badStatus(401)) { try await loader.image(for: request(token)) }
            await #expect(throws: ImageLoaderError.badStatus(401)) { try await loader.data(for: request(token)) }
        }
    }

    /// A private image of one size and a public one of another have the same URL.
    @Test func imagesWithoutAuthorization_areNotGivenToRequestsWithOne() async throws {
        let loader = loader()
        answer("max-age=60")
        _ = try await loader.image(for: request(nil))
        answer("public, max-age=60")
        origin.change { $0.hasTags = false }
        await loader.memoryCache.removeAll()
        _ = try await loader.image(for: request("Bearer 1", side: 20))
        answer("max-age=60")
        _ = try await loader.image(for: request(nil))
        let count = origin.requestCount
        #expect(loader.cachedImage(for: try request("Bearer 2")) == nil)
        #expect(try await loader.response(for: request("Bearer 2")).source == .network)
        #expect(origin.requestCount == count + 1)
    }

    @Test func removal_affectsOneAuthorization() async throws {
        answer("public, max-age=60")
        let loader = loader()
        for token in ["Bearer 1", "Bearer 2", nil] { _ = try await loader.image(for: request(token)) }
        await loader.flush()
        await loader.remove(try request("Bearer 2"))
        #expect(!(await loader.contains(try request("Bearer 2"))))
        for token in ["Bearer 1", nil] {
            for tier in [CacheTiers.memory, .disk] { #expect(await loader.contains(try request(token), in: tier)) }
        }
    }

    @Test func downloads_areNotShared() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let tasks = try ["Bearer 1", "Bearer 2"].map { loader.imageTask(for: try request($0)) }
        for _ in tasks {
            let call = try await transport.nextCall()
            let width = call.request.headers["Authorization"] == "Bearer 1" ? 40 : 44
            call.respond(headers: ["Cache-Control": "public, max-age=60"])
            call.send(try Pictures.png(width, 30))
            call.finish()
        }
        #expect(try await tasks[0].image.size.width == 40)
        #expect(try await tasks[1].image.size.width == 44)
    }
}
