import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What selects the bytes, and so what callers share and caches tell apart.
@Suite(.timeLimit(.minutes(1))) struct RequestKeyTests {
    private let png: Data

    init() throws { png = try Pictures.png() }

    /// Requests for one URL that may bring other bytes each.
    private func variants() throws -> [ImageRequest] {
        let changes: [(inout ImageRequest) -> Void] = [
            { _ in },
            { $0.headers["Accept"] = "image/png" },
            { $0.headers["Accept"] = "image/jpeg" },
            { $0.headers["Accept-Language"] = "image/png" },
            { $0.headers["X-A"] = "1\nfield x-b 1 2" },
            { $0.headers = ["X-A": "1", "X-B": "2"] },
            { $0.method = .post },
            { $0.method = HTTPMethod(rawValue: "post") },
            { $0.body = Data("a".utf8) },
            { $0.body = Data("b".utf8) },
            { $0.body = Data() },
            { $0.credentials = .init(user: "a", password: "topsecret") },
            { $0.credentials = .init(user: "b", password: "topsecret") },
            { $0.credentials = .init(user: "a", password: "topsecret2") },
            { $0.headers["Authorization"] = "Bearer topsecret" },
            { $0.headers["Authorization"] = "Token topsecret,b" },
            { $0.headers["Authorization"] = "Token topsecret, b" },
            { $0.headers["Authorization"] = "Token topsecret,b," },
            { $0.headers["Authorization"] = "Token topsecret,B" },
            { $0.headers["X-Api-Key"] = "k,1" },
            { $0.headers["X-Api-Key"] = "k, 1" },
            { $0.headers["X-Api-Key"] = ",k,1" },
            { $0.headers = HTTPHeaders([("X-Api-Key", "k"), ("X-Api-Key", "1")]) },
            { $0.headers["X-Api-Key"] = "k\u{E9}" },
            { $0.headers["X-Api-Key"] = "ke\u{301}" },
            { $0.headers["Cookie"] = "a=1, 2" },
            { $0.headers["Cookie"] = "a=1,2" },
            { $0.headers["Accept"] = "text/x;a=\"b, c\"" },
            { $0.headers["Accept"] = "text/x;a=\"b,c\"" },
        ]
        return try changes.map { try .test("a.png", $0) } + [try .test("b.png"), try .test("a.png?x")]
    }

    /// Requests that all ask for what the first one does.
    private func equals() throws -> [ImageRequest] {
        let changes: [(inout ImageRequest) -> Void] = [
            { $0.headers["Accept"] = "image/png" },
            { $0.headers["accept"] = "image/png" },
            {
                $0.headers = [
                    "traceparent": "00-1", "Accept": "image/png", "TraceState": "x", "x-request-id": "\(UInt.max)",
                ]
            },
            {
                $0.headers["Accept"] = "image/png"
                $0.priority = .veryHigh
                $0.fallbacks = [$0.url].compactMap { $0 }
            },
        ]
        let whole = try changes.map { try ImageRequest.test("a.png", $0) }
        return whole + [try .test("a.png#part") { $0.headers["Accept"] = "image/png" }]
    }

    @Test func selectors_changeTheKey() throws {
        let keys = try variants().map { ImageKey($0) }
        #expect(Set(keys).count == keys.count)
        for (index, key) in keys.enumerated() { #expect(keys.firstIndex(of: key) == index) }
        #expect(Set(try equals().map { ImageKey($0) }).count == 1)
        // The order of fields is no difference, and that of the values of one field is.
        let pairs = ["1", "2"].map { (name: "X-A", value: $0) }
        let one = try ImageRequest.test { $0.headers = HTTPHeaders(pairs + [(name: "B", value: "")]) }
        let same = try ImageRequest.test { $0.headers = HTTPHeaders([(name: "B", value: "")] + pairs) }
        let other = try ImageRequest.test { $0.headers = HTTPHeaders(pairs.reversed() + [(name: "B", value: "")]) }
        #expect(ImageKey(one) == ImageKey(same))
        #expect(ImageKey(one) != ImageKey(other))
    }

    /// Of lists alone is known what doesn't change their meaning.
    @Test(
        arguments: [
            ("Accept", ["a/b, c/d"], ["a/b,c/d"]), ("Accept", ["a/b", "c/d"], [" a/b ,, c/d,"]),
            ("accept-encoding", ["gzip, br"], ["gzip", "br"]), ("Accept-Charset", ["utf-8, x"], ["utf-8,x"]),
            ("Accept-Language", ["de, en;q=0.5"], ["EN; q=0.5", "De"]),
        ] as [(String, [String], [String])])
    func lists_areEqual_ifTheirMembersAre(name: String, _ one: [String], _ other: [String]) throws {
        let keys = try [one, other].map { values in
            ImageKey(try .test { $0.headers = HTTPHeaders(values.map { (name: name, value: $0) }) })
        }
        #expect(keys[0] == keys[1])
    }

    /// The header fields of a loader select what is loaded as those of a request do.
    @Test func fieldsOfALoader_changeItsKeys() throws {
        let all: [HTTPHeaders] = [
            [:], ["X-A": "1"], ["X-A": "1,2"], ["X-A": "1, 2"], HTTPHeaders([("X-A", "1"), ("X-A", "2")]),
            HTTPHeaders([("X-A", "2"), ("X-A", "1")]), ["X-A": "1", "X-B": "2"],
        ]
        let keys = try all.map { headers in
            var configuration = ImageLoader.Configuration()
            configuration.download.headers = headers
            configuration.disk = nil
            return ImageLoader(configuration).key(for: try URL.test())
        }
        #expect(Set(keys).count == all.count)
    }

    @Test func userInfo_isParsed_beforeHostOnly() {
        for (text, without, userInfo) in [
            ("http://me:pw@host/a@b?c@d", "http://host/a@b?c@d", "me:pw"), ("http://a@b@host", "http://host", "a@b"),
            ("http://@host/", "http://host/", ""), ("http://host/@me/a.png", "http://host/@me/a.png", nil),
            ("http://host?a@b", "http://host?a@b", nil), ("data:,a@b", "data:,a@b", nil),
        ] as [(String, String, String?)] {
            let split = text.splitUserInfo
            #expect(split.text == without)
            #expect(split.userInfo == userInfo)
        }
    }

    @Test func requests_areEqual_whenAllOptionsAre() throws {
        let all = try variants() + equals().dropFirst(2) + [try .test { $0.readPolicy = .reload }]
        for (index, request) in all.enumerated() { #expect(all.firstIndex(of: request) == index) }
        #expect(try ImageRequest.test { $0.readPolicy = nil } == .test())
        #expect(ImageRequest(data: png, id: "a") == ImageRequest(data: Data(), id: "a"))
        #expect(ImageRequest(data: png, id: "a") != ImageRequest(data: png, id: "b"))
    }

    @Test func requestsWithOtherSelectors_areNotShared() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader())
        fixture.configuration.download.maximumConcurrentDownloads = 100
        fixture.configuration.download.maximumConcurrentDownloadsPerHost = 100
        let loader = fixture.makeLoader()
        // One with a line break in a field can't be sent.
        var requests = try variants().filter { !($0.headers["X-A"] ?? "").contains("\n") }
        for policy in [CacheReadPolicy.reload, .revalidate] { requests.append(try .test { $0.readPolicy = policy }) }
        requests.append(try .test { $0.retriesFailed = true })
        var tasks: [LoadTask<ImageResponse>] = []
        for request in requests {
            tasks.append(loader.imageTask(for: request))
            tasks.append(loader.imageTask(for: request))
        }
        // All are asked for before one is answered, as its image would serve those that may come from a cache.
        var calls: [ScriptedDataLoader.Call] = []
        for _ in requests { calls.append(try await fixture.transport.nextCall()) }
        for call in calls {
            call.respond()
            call.send(png)
            call.finish()
        }
        for task in tasks { _ = try await task.value }
        #expect(fixture.transport.callCount == requests.count)
    }

    @Test func equivalentRequests_areShared() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let loader = fixture.makeLoader()
        let requests = try equals()
        let tasks = requests.map { loader.imageTask(for: $0) }
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(requests.count - 1)
        call.respond()
        call.send(png)
        call.finish()
        for task in tasks { _ = try await task.value }
        #expect(fixture.transport.callCount == 1)
    }

    /// The variants that can be sent, as caches store them: an answer to a POST only where content never changes.
    private func storedVariants() throws -> [ImageRequest] {
        try variants().filter { !($0.headers["X-A"] ?? "").contains("\n") }.map { request in
            var request = request
            if request.method != .get { request.readPolicy = .immutable }
            return request
        }
    }

    @Test func responsesToOtherMethods_areNotStored() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test { $0.method = .post }
        for _ in 0..<2 { #expect(try await loader.response(for: request).source == .network) }
        _ = try await loader.data(for: request)
        #expect(fixture.transport.callCount == 3)
        #expect(await !loader.contains(request))
    }

    @Test func memoryAndDisk_separateThem() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        let requests = try storedVariants()
        let loader = fixture.makeLoader()
        for request in requests {
            #expect(loader.cachedImage(for: request) == nil)
            #expect(try await loader.response(for: request).source == .network)
            #expect(loader.cachedImage(for: request) != nil)
        }
        await loader.flush()
        let restarted = fixture.makeLoader()
        for request in requests { #expect(try await restarted.response(for: request).source == .disk) }
        for request in try equals() {
            let source = try await restarted.response(for: request).source
            #expect(source == .memory)
        }
        #expect(fixture.transport.callCount == requests.count)
    }

    @Test func removal_affectsOneSelectorOnly() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        let loader = fixture.makeLoader()
        let plain = try ImageRequest.test()
        let other = try ImageRequest.test { $0.headers["Accept"] = "image/png" }
        for request in [plain, other] { _ = try await loader.image(for: request) }
        await loader.remove(other)
        #expect(loader.cachedImage(for: plain) != nil)
        #expect(loader.cachedImage(for: other) == nil)
        await loader.flush()
        let restarted = fixture.makeLoader()
        #expect(try await restarted.response(for: plain).source == .disk)
        #expect(try await restarted.response(for: other).source == .network)
    }

    @Test func secrets_areAbsent_fromCacheFiles() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
        fixture.configuration.download.headers["Cookie"] = "topsecret"
        let loader = fixture.makeLoader()
        var requests = try storedVariants()
        let users = ["http://me:topsecret@host.test/a.png", "http://me:topsecret2@host.test/a.png"]
        requests += try users.map { try ImageRequest($0) }
        requests += [try .test { $0.body = Data("topsecret".utf8) }]
        for request in requests { _ = try await loader.image(for: request) }
        await loader.flush()
        let files = try fixture.temporary.files(in: "cache")
        #expect(files.count > requests.count)
        for file in files {
            let (name, bytes) = (file.path, try Data(contentsOf: file))
            let encoded = Data("topsecret".utf8).base64EncodedString().prefix(8)
            for secret in ["topsecret", "uthorization", String(encoded), "bWU6"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name): \(secret)")
                #expect(!name.contains(secret))
            }
        }
        // They are told apart by it all the same.
        let restarted = fixture.makeLoader()
        for request in requests { #expect(try await restarted.response(for: request).source == .disk) }
        let calls = fixture.transport.callCount
        _ = try await restarted.image(for: ImageRequest("http://me:other@host.test/a.png"))
        #expect(fixture.transport.callCount == calls + 1)
    }
}
