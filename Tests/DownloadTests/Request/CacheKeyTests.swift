import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What responses are cached by, other than their URLs.
@Suite(.timeLimit(.minutes(1))) struct CacheKeyTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ keys: CacheKeyPolicy = .url) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.download.cacheKeys = keys
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func text(_ policy: CacheKeyPolicy, _ url: String) throws -> String {
        policy.text(for: try #require(URL(string: url)))
    }

    // MARK: Policies

    @Test(arguments: [
        (CacheKeyPolicy.url, "http://h.test/a?x=1&y=2#f", "http://h.test/a?x=1&y=2"),
        (.droppingQuery, "http://h.test/a?x=1&y=2#f?", "http://h.test/a"),
        (.droppingQuery, "http://h.test/a#f?x", "http://h.test/a"),
        (.droppingQueryItems(["x"]), "http://h.test/a?x=1&y=2&x&xx=3#f", "http://h.test/a?y=2&xx=3"),
        (.droppingQueryItems(["x"]), "http://h.test/a?x=1", "http://h.test/a"),
        (.droppingQueryItems(["a b"]), "http://h.test/a?a%20b=1&c", "http://h.test/a?c"),
        (.droppingQueryItems([]), "http://h.test/a?x=1", "http://h.test/a?x=1"),
        (.keepingQueryItems(["y", "x"]), "http://h.test/a?z=0&y=2&x=1", "http://h.test/a?y=2&x=1"),
        (.keepingQueryItems([]), "http://h.test/a?z=0", "http://h.test/a"),
        (.custom(id: "last") { $0.lastPathComponent }, "http://h.test/b/a.png?x", "a.png"),
        (.custom(id: "album") { "album#" + $0.lastPathComponent }, "http://h.test/a.png#f", "album#a.png"),
        (.custom(id: "none") { _ in "" }, "http://h.test/a?x#f", "http://h.test/a?x"),
        (.custom(id: "null") { _ in "\0a" }, "http://h.test/a?x", "http://h.test/a?x"),
    ])
    func policy_makesKeysOfURLs(policy: CacheKeyPolicy, url: String, key: String) throws {
        #expect(try text(policy, url) == key)
    }

    @Test func policies_differByTheirParameters() {
        let policies: [CacheKeyPolicy] = [
            .url, .droppingQuery, .droppingQueryItems(["a"]), .droppingQueryItems(["a", "b"]),
            .droppingQueryItems(["a 1 b"]), .keepingQueryItems(["a"]), .custom(id: "a") { _ in "x" },
            .custom(id: "no query") { _ in "x" },
        ]
        #expect(Set(policies).count == policies.count)
        #expect(CacheKeyPolicy.droppingQueryItems(["b", "a"]) == .droppingQueryItems(["a", "b"]))
    }

    // MARK: Loaders

    @Test func signedURLs_hit_inMemoryAndOnDisk() async throws {
        let first = loader(.droppingQueryItems(["sig"]))
        let image = try await first.image(for: .test("a.png?v=1&sig=abc"))
        #expect(first.cachedImage(for: try .test("a.png?v=1&sig=def"))?.bitmap === image.bitmap)
        #expect(first.cachedImage(for: try URL.test("a.png?sig=x&v=1"))?.bitmap === image.bitmap)
        #expect(try await first.image(for: URL.test("a.png?v=1&sig=ghi")).bitmap === image.bitmap)
        #expect(first.cachedImage(for: try URL.test("a.png?v=2&sig=abc")) == nil)
        await first.flush()
        let second = loader(.droppingQueryItems(["sig"]))
        #expect(try await second.response(for: .test("a.png?v=1&sig=later")).source == .disk)
        #expect(try await second.dataResponse(for: .test("a.png?v=1&sig=later")).source == .disk)
        #expect(origin.requestCount == 1)
        await second.remove(try .test("a.png?v=1&sig=other"))
        #expect(!(await second.contains(try .test("a.png?v=1&sig=abc"))))
    }

    @Test func policy_isPartOfTheScope() async throws {
        let first = loader(.droppingQuery)
        _ = try await first.image(for: .test("a.png?x=1"))
        await first.flush()
        for policy in [CacheKeyPolicy.url, .keepingQueryItems([]), .custom(id: "x") { $0.path }] {
            #expect(!(await loader(policy).contains(try .test("a.png"))))
            #expect(loader(policy).key(for: try .test("a.png")) != first.key(for: try .test("a.png")))
        }
    }

    /// By the key of the URL, whatever its signature.
    @Test(arguments: [
        CacheKeyPolicy.droppingQueryItems(["sig"]),
        .custom(id: "album") { "album#" + $0.lastPathComponent + ($0.query?.prefix { $0 != "&" } ?? "") },
    ])
    func removedURL_isTheOneThatIsCached(policy: CacheKeyPolicy) async throws {
        let loader = loader(policy)
        let (removed, other) = (try ImageRequest.test("a.png?v=1&sig=1"), try ImageRequest.test("a.png?v=2&sig=1"))
        for request in [removed, other] { _ = try await loader.image(for: request) }
        await loader.flush()
        try await loader.remove(.url(.test("a.png?v=1&sig=2")))
        for tier in [CacheTiers.memory, .disk] {
            #expect(await !loader.contains(removed, in: tier))
            #expect(await loader.contains(other, in: tier))
        }
    }

    /// A cache by itself finds it by its key.
    @Test func prefix_isComparedWithTheKey() async throws {
        let loader = loader()
        let request = try request("a.png", "album/a")
        for selection in [CacheSelection.url(try .test("a.png")), .prefix("http://host.test/"), .prefix("album/")] {
            _ = try await loader.image(for: request)
            await loader.flush()
            try await loader.remove(selection)
            let isGone = selection == .prefix("album/")
            for tier in [CacheTiers.memory, .disk] { #expect(await loader.contains(request, in: tier) != isGone) }
        }
    }

    @Test func theURLItself_isAsked() async throws {
        let loader = loader(.droppingQuery)
        _ = try await loader.image(for: .test("a.png?sig=1"))
        #expect(origin.state.withLock { $0.requests.map(\.url.query) } == ["sig=1"])
        origin.pass(61)
        _ = try await loader.image(for: .test("a.png?sig=2"))
        #expect(origin.state.withLock { $0.requests.map(\.url.query) } == ["sig=1", "sig=2"])
        #expect(origin.conditionalCount == 1)
    }

    // MARK: Requests

    private func request(_ path: String, _ key: String) throws -> ImageRequest {
        ImageRequest(url: try URL.test(path), cacheKey: key)
    }

    @Test func ownKey_isWhatCounts() async throws {
        let loader = loader(.droppingQuery)
        let image = try await loader.image(for: request("a.png?sig=1", "a"))
        #expect(loader.cachedImage(for: try request("b.png", "a"))?.bitmap === image.bitmap)
        #expect(loader.cachedImage(for: try .test("a.png")) == nil)
        #expect(loader.cachedImage(for: try request("a.png?sig=1", "b")) == nil)
        await loader.flush()
        #expect(try await self.loader(.droppingQuery).response(for: request("c.png", "a")).source == .disk)
        #expect(origin.requestCount == 1)
        #expect(try request("a.png", "a").cacheKey == "a" && ImageRequest.test("a.png").cacheKey == nil)
        #expect(try request("a.png", "a") != request("a.png", "b") && request("a.png", "a") != .test("a.png"))
        #expect(await loader.diskCache?.entries().map(\.url) == ["a"])
    }

    @Test func requestsWithOneKey_shareADownload() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let tasks = try ["a.png?1", "a.png?2", "a.png?3"].map { loader.imageTask(for: try request($0, "a")) }
        let call = try await transport.nextCall()
        await fixture.untilCoalesced(2)
        call.respond()
        call.send(try Pictures.png(40, 30))
        call.finish()
        for task in tasks { _ = try await task.image }
        #expect(transport.callCount == 1)
    }

    @Test func aKeyThatIsAURL_isTheKeyOfThatURL() async throws {
        let loader = loader()
        let image = try await loader.image(for: request("a.png?sig=1", "http://host.test/a.png"))
        #expect(loader.cachedImage(for: try URL.test("a.png"))?.bitmap === image.bitmap)
    }

    @Test(arguments: [("", #"the cache key """#), ("\0mine", #"the cache key "\0mine""#)])
    func anImpossibleKey_isAnError(key: String, text: String) async throws {
        let error = ImageLoaderError.unsupportedConfiguration(text)
        await #expect(throws: error) { try await loader().image(for: request("a.png", key)) }
        await #expect(throws: error) { try await loader().data(for: request("a.png", key)) }
        #expect(origin.requestCount == 0)
    }

    /// An image of an id isn't found by a key that spells the id's text.
    @Test func anImpossibleKey_findsNothingInMemory() async throws {
        let loader = loader()
        _ = try await loader.image(for: ImageRequest(data: try Pictures.png(40, 30), id: "mine"))
        let request = try request("a.png", "\0mine")
        #expect(loader.cachedImage(for: request) == nil)
        await #expect(throws: ImageLoaderError.unsupportedConfiguration(#"the cache key "\0mine""#)) {
            try await loader.image(for: request)
        }
    }

    @Test(arguments: [nil, "a:b", "a:\u{301}b"]) func userNameWithAColon_isAnError(user: String?) async throws {
        var request = ImageRequest(url: try #require(URL(string: "http://a%3Ab:c@host.test/a.png")))
        if let user { request.credentials = .init(user: user, password: "c") }
        let error = ImageLoaderError.unsupportedConfiguration(
            "a colon in the user name, where Basic authentication ends it")
        await #expect(throws: error) { try await loader().image(for: request) }
    }

    @Test func anInvalidURL_isAnError_whateverItsKey() async throws {
        let request = ImageRequest(url: try #require(URL(string: "ftp://host.test/a")), cacheKey: "http://host.test/a")
        await #expect(throws: ImageLoaderError.unsupportedScheme("ftp")) { try await loader().image(for: request) }
    }
}
