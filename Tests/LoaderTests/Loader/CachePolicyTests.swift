import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct CachePolicyTests {
    private let fixture: LoaderFixture
    /// What the caches have from before, and what the server sends now.
    private let (old, new): (Data, Data)

    init() throws {
        (old, new) = (try Pictures.png(8, 6), try Pictures.png(4, 3))
        fixture = try LoaderFixture(ScriptedDataLoader { [new] _ in .bytes(new) })
    }

    private func request(_ policy: CacheReadPolicy) throws -> ImageRequest { try .test { $0.readPolicy = policy } }

    /// A request that is loaded anew and stored nowhere.
    private func bypassing() throws -> ImageRequest {
        try .test { ($0.readPolicy, $0.writePolicy) = (.reload, .nothing) }
    }

    /// A loader whose disk cache has the old picture.
    private func loaderWithDisk() async throws -> ImageLoader {
        let store = DiskStore(directory: fixture.temporary.path + "/cache", byteLimit: 1 << 20)
        try await store.store(old, for: StoredKey(URL.test().absoluteString), begun: store.ticket())
        await store.flush()
        return fixture.makeLoader()
    }

    /// A loader that has it in memory too.
    private func loaderWithBoth() async throws -> ImageLoader {
        let loader = try await loaderWithDisk()
        #expect(try await loader.response(for: request(.http)).source == .disk)
        return loader
    }

    /// The widths of what is in memory and on disk; nil where there is nothing.
    private func kept(_ loader: ImageLoader) async throws -> [Int?] {
        await loader.flush()
        let memory = loader.cachedImage(for: try .test())?.size.width
        let restarted = fixture.makeLoader()
        do {
            return [memory, try await restarted.image(for: request(.cachedOnly)).size.width]
        } catch ImageLoaderError.notCached {
            return [memory, nil]
        }
    }

    @Test(arguments: [CacheReadPolicy.http, .immutable, .cachedOnly])
    func readingPolicies_returnCachedImages(policy: CacheReadPolicy) async throws {
        let loader = try await loaderWithDisk()
        #expect(try await loader.response(for: request(policy)).source == .disk)
        #expect(try await loader.response(for: request(policy)).source == .memory)
        #expect(try await loader.data(for: request(policy)) == old)
        #expect(fixture.transport.callCount == 0)
    }

    @Test(arguments: CacheWritePolicy.allCases)
    func writePolicies_selectCaches(policy: CacheWritePolicy) async throws {
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test { $0.writePolicy = policy }
        #expect(try await loader.response(for: request).source == .network)
        let (memory, disk) = (policy.fillsMemory ? 4 : nil, policy.fillsDisk ? 4 : nil)
        #expect(try await kept(loader) == [memory, disk])
        // Bytes are stored on disk only, and by the same policy.
        let other = try ImageRequest.test("b.png") { $0.writePolicy = policy }
        _ = try await loader.data(for: other)
        await loader.flush()
        #expect(await loader.contains(other) == policy.fillsDisk)
        // As a setting of the loader, which requests may override.
        var configuration = fixture.configuration
        configuration.writePolicy = policy
        let second = ImageLoader(configuration, calls: fixture.calls)
        _ = try await second.image(for: .test("c.png"))
        #expect((second.cachedImage(for: try .test("c.png")) != nil) == policy.fillsMemory)
        _ = try await second.image(for: .test("d.png") { $0.writePolicy = .all })
        #expect(second.cachedImage(for: try .test("d.png")) != nil)
    }

    @Test func readPolicyOfLoader_applies_whereRequestsDoNotSay() async throws {
        _ = try await loaderWithBoth()
        var configuration = fixture.configuration
        configuration.readPolicy = .cachedOnly
        let loader = ImageLoader(configuration, calls: fixture.calls)
        for source in [ImageSource.disk, .memory] { #expect(try await loader.response(for: .test()).source == source) }
        #expect(try await loader.image(for: .test()).size.width == 8)
        let missing = try URL.test("b.png")
        await #expect(throws: ImageLoaderError.notCached) { try await loader.image(for: missing) }
        await #expect(throws: ImageLoaderError.notCached) { try await loader.data(for: ImageRequest(url: missing)) }
        #expect(try await loader.image(for: .test("b.png") { $0.readPolicy = .http }).size.width == 4)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func http_downloadsAndStoresMissingImages() async throws {
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: request(.http)).source == .network)
        #expect(try await kept(loader) == [4, 4])
    }

    @Test func reload_downloads_andReplacesCachedImage() async throws {
        let loader = try await loaderWithBoth()
        let response = try await loader.response(for: request(.reload))
        #expect(response.source == .network)
        #expect(response.image.size.width == 4)
        #expect(fixture.transport.callCount == 1)
        #expect(try await kept(loader) == [4, 4])
        #expect(try await loader.data(for: request(.reload)) == new)
        #expect(fixture.transport.callCount == 2)
    }

    @Test func bypass_downloads_withoutTouchingCaches() async throws {
        let loader = try await loaderWithBoth()
        #expect(try await loader.response(for: bypassing()).image.size.width == 4)
        #expect(try await kept(loader) == [8, 8])
        await loader.removeAll()
        #expect(try await loader.data(for: bypassing()) == new)
        #expect(try await loader.response(for: bypassing()).source == .network)
        #expect(try await kept(loader) == [nil, nil])
        #expect(fixture.transport.callCount == 3)
    }

    @Test func cachedOnly_throwsNotCached_whenAbsent() async throws {
        let loader = fixture.makeLoader()
        await #expect(throws: ImageLoaderError.notCached) { try await loader.image(for: request(.cachedOnly)) }
        await #expect(throws: ImageLoaderError.notCached) { try await loader.data(for: request(.cachedOnly)) }
        #expect(fixture.transport.callCount == 0)
    }

    @Test func failedReload_keepsCachedImage() async throws {
        _ = try await loaderWithBoth()
        var configuration = fixture.configuration
        configuration.dataLoader = ScriptedDataLoader { _ in .status(500) }
        let loader = ImageLoader(configuration, calls: fixture.calls)
        _ = try await loader.image(for: request(.http))
        await #expect(throws: ImageLoaderError.badStatus(500)) { try await loader.image(for: request(.reload)) }
        #expect(try await kept(loader) == [8, 8])
    }

    @Test func reload_sendsNoCache_unlessRequestOverridesIt() async throws {
        let sent = Mutex<[String?]>([])
        let fixture = try LoaderFixture(
            ScriptedDataLoader { [new] request in
                sent.withLock { $0.append(request.headers["Cache-Control"]) }
                return .bytes(new)
            })
        let loader = fixture.makeLoader()
        for request in [try request(.http), try request(.reload), try bypassing()] {
            _ = try await loader.image(for: request)
        }
        var own = try request(.reload)
        own.headers["cache-control"] = "max-age=0"
        _ = try await loader.image(for: own)
        #expect(sent.withLock { $0 } == [nil, "no-cache", "no-cache", "max-age=0"])
    }

    @Test func rememberedFailure_isIgnored_byReload() async throws {
        var configuration = fixture.configuration
        configuration.download.failureLifetimes = FailureLifetimes()
        let transport = ScriptedDataLoader { _ in .status(404) }
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, calls: fixture.calls)
        var retrying = try request(.http)
        retrying.retriesFailed = true
        for (request, calls) in [
            (try request(.http), 1), (try request(.http), 1), (try request(.reload), 2),
            (try bypassing(), 3), (retrying, 4), (try request(.http), 4),
        ] {
            await #expect(throws: ImageLoaderError.badStatus(404)) { try await loader.image(for: request) }
            #expect(transport.callCount == calls)
        }
    }

    @Test(arguments: CacheReadPolicy.allCases, CacheWritePolicy.allCases)
    func localSources_areRead_underEachPolicy(reading: CacheReadPolicy, writing: CacheWritePolicy) async throws {
        var request = ImageRequest(data: old, id: "old")
        (request.readPolicy, request.writePolicy) = (reading, writing)
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: request).source == .local)
        #expect((loader.cachedImage(for: request) != nil) == writing.fillsMemory)
        let again = try await loader.response(for: request).source
        let isRead = [.http, .immutable, .cachedOnly].contains(reading) && writing.fillsMemory
        #expect(again == (isRead ? .memory : .local))
    }
}
