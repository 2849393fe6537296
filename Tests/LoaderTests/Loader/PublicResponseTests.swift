import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Responses that are `public` are shared by requests with different authorizations, and no others are.
@Suite(.timeLimit(.minutes(1))) struct PublicResponseTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(
        disk: Bool = true, contents: DiskContents = .originals, token: String? = nil
    ) -> ImageLoader {
        var configuration = fixture.configuration
        if disk { configuration.disk?.contents = contents } else { configuration.disk = nil }
        if let token { configuration.download.headers["Authorization"] = token }
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ token: String?, side: Int? = nil) throws -> ImageRequest {
        try .test("a.png") {
            $0.headers["Authorization"] = token
            $0.targetSize = side.map { PixelSize(width: $0, height: $0) }
        }
    }

    private func answer(_ cacheControl: String, vary: String? = nil) {
        origin.change {
            $0.headers = ["Cache-Control": cacheControl]
            $0.headers["Vary"] = vary
        }
    }

    // MARK: What is shared

    @Test(arguments: [true, false])
    func publicImage_isSharedInMemory(disk: Bool) async throws {
        answer("public, max-age=60")
        let loader = loader(disk: disk)
        let first = try await loader.image(for: request("Bearer 1"))
        let second = try await loader.response(for: request("Bearer 2"))
        #expect(second.source == .memory && second.image.bitmap === first.bitmap && origin.requestCount == 1)
        #expect(loader.cachedImage(for: try request("Bearer 3"))?.bitmap === first.bitmap)
        #expect(loader.cachedImage(for: try request(nil))?.bitmap === first.bitmap)
        #expect(loader.cachedResponse(for: try request("Bearer 3"))?.image.bitmap === first.bitmap)
        #expect(try await loader.image(for: request("Bearer 3")).bitmap === first.bitmap)
        #expect(await loader.contains(try request("Bearer 3"), in: .memory) && origin.requestCount == 1)
    }

    @Test(arguments: [
        "max-age=60", "private, max-age=60", "public, private, max-age=60", "max-age=60, x=\"public\"",
    ])
    func otherImages_areNotShared(cacheControl: String) async throws {
        answer(cacheControl)
        let loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        await loader.flush()
        #expect(loader.cachedImage(for: try request("Bearer 2")) == nil)
        #expect(!(await loader.contains(try request("Bearer 2"))))
        _ = try await loader.image(for: request("Bearer 2"))
        _ = try await loader.image(for: request(nil))
        #expect(try loader.cachedImage(for: request("Bearer 1")) != nil && origin.requestCount == 3)
    }

    @Test(arguments: ["Authorization", "Accept, authorization", "*"])
    func imageThatVariesByAuthorization_isNotShared(vary: String) async throws {
        answer("public, max-age=60", vary: vary)
        let loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        _ = try await loader.image(for: request("Bearer 2"))
        #expect(origin.requestCount == 2)
    }

    @Test(arguments: [DiskContents.originals, .processed, .both])
    func publicEntry_isSharedAfterRestart(contents: DiskContents) async throws {
        answer("public, max-age=60")
        let first = loader(contents: contents)
        _ = try await first.image(for: request("Bearer 1", side: 20))
        await first.flush()
        let second = loader(contents: contents)
        #expect(await second.contains(try request("Bearer 2", side: 20), in: .disk))
        #expect(try await second.response(for: request("Bearer 2", side: 20)).source == .disk)
        #expect(try await second.response(for: request("Bearer 3", side: 20)).source == .memory)
        #expect(origin.requestCount == 1)
    }

    /// A token that changes with each session doesn't cost the cache.
    @Test func publicEntry_outlivesTheLoadersToken() async throws {
        answer("public, max-age=60")
        let first = loader(token: "Bearer monday")
        let url = try #require(ImageRequest.test("a.png").url)
        let image = try await first.image(for: url)
        #expect(try await first.image(for: url).bitmap === image.bitmap)
        #expect(first.cachedImage(for: url)?.bitmap === image.bitmap)
        await first.flush()
        let second = loader(token: "Bearer tuesday")
        #expect(try await second.response(for: ImageRequest(url: url)).source == .disk)
        #expect(origin.requestCount == 1)
    }

    @Test func privateEntry_doesNotOutliveTheLoadersToken() async throws {
        let first = loader(token: "Bearer monday")
        _ = try await first.image(for: request(nil))
        await first.flush()
        let second = loader(token: "Bearer tuesday")
        #expect(try await second.response(for: request(nil)).source == .network)
    }

    @Test func publicBytes_areShared() async throws {
        answer("public, max-age=60")
        let loader = loader()
        _ = try await loader.data(for: request("Bearer 1"))
        let second = try await loader.dataResponse(for: request("Bearer 2"))
        #expect(second.source == .disk && origin.requestCount == 1)
        #expect(try await loader.response(for: request("Bearer 3")).source == .disk)
    }

    // MARK: What changes

    @Test func staleSharedImage_isConfirmedForAll() async throws {
        answer("public, max-age=60")
        let loader = loader()
        let first = try await loader.image(for: request("Bearer 1"))
        origin.pass(61)
        let second = try await loader.response(for: request("Bearer 2"))
        #expect(second.source == .memory && !second.isStale && second.image.bitmap === first.bitmap)
        #expect(origin.conditionalCount == 1)
        #expect(loader.cachedImage(for: try request("Bearer 3")) != nil)
    }

    /// The picture that became private isn't shown to others, and the public one isn't shown any more.
    @Test(arguments: [true, false])
    func imageThatBecomesPrivate_isNoLongerShared(inMemory: Bool) async throws {
        answer("public, max-age=60")
        var loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        await loader.flush()
        origin.pass(61)
        answer("private, max-age=60")
        origin.change { $0.widths["/a.png"] = 44 }
        if !inMemory { loader = self.loader() }
        #expect(try await loader.image(for: request("Bearer 2")).size.width == 44)
        await loader.flush()
        for token in ["Bearer 1", nil] { #expect(loader.cachedImage(for: try request(token)) == nil) }
        #expect(loader.cachedImage(for: try request("Bearer 2"))?.size.width == 44)
        let other = self.loader()
        #expect(!(await other.contains(try request("Bearer 1"))))
        #expect(await other.contains(try request("Bearer 2")))
    }

    @Test func confirmationThatSaysPrivate_endsSharing() async throws {
        answer("public, max-age=60")
        let loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        origin.pass(61)
        answer("private, max-age=60")
        _ = try await loader.image(for: request("Bearer 1"))
        await loader.flush()
        #expect(loader.cachedImage(for: try request("Bearer 2")) == nil)
        #expect(try await loader.response(for: request("Bearer 2")).source == .network)
    }

    @Test func removal_takesTheSharedImage() async throws {
        answer("public, max-age=60")
        let loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        await loader.flush()
        await loader.remove(try request("Bearer 2"))
        for token in ["Bearer 1", "Bearer 2", nil] { #expect(!(await loader.contains(try request(token)))) }
    }

    @Test func imageStoredByHand_isFoundFirst() async throws {
        answer("public, max-age=60")
        let loader = loader()
        _ = try await loader.image(for: request("Bearer 1"))
        let own = try await loader.image(for: request("Bearer 1", side: 20))
        try await loader.store(own, for: request("Bearer 2"))
        #expect(loader.cachedImage(for: try request("Bearer 2"))?.bitmap === own.bitmap)
        #expect(loader.cachedImage(for: try request("Bearer 3"))?.size.width == 40)
    }

    /// Whether the response is public isn't known before it arrives.
    @Test func downloads_areNotSharedBetweenAuthorizations() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let tasks = try ["Bearer 1", "Bearer 2"].map { loader.imageTask(for: try request($0)) }
        for _ in tasks {
            let call = try await transport.nextCall()
            let width = call.request.headers["Authorization"] == "Bearer 1" ? 40 : 44
            call.respond(headers: ["Cache-Control": "private, max-age=60"])
            call.send(try Pictures.png(width, 30))
            call.finish()
        }
        #expect(try await tasks[0].image.size.width == 40)
        #expect(try await tasks[1].image.size.width == 44)
    }
}
