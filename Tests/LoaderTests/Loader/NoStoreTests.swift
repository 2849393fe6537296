import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Responses that must not be stored (RFC 9111 sections 5.2.1.5 and 5.2.2.5) reach those who wait for them, and no
/// cache.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct NoStoreTests {
    private let fixture: LoaderFixture
    /// What the server sends beside the picture.
    private let answer = Answer()

    private final class Answer: Sendable {
        let headers = Mutex<HTTPHeaders>(["Cache-Control": "no-store"])
        let width = Mutex(40)
    }

    init() throws {
        let pictures = [40: try Pictures.png(40, 30), 44: try Pictures.png(44, 30)]
        fixture = try LoaderFixture(
            ScriptedDataLoader { [answer] _ in
                .bytes(
                    pictures[answer.width.withLock { $0 }] ?? Data(), headers: answer.headers.withLock { $0 })
            })
    }

    private func request(
        side: Int? = nil, _ change: (inout ImageRequest) -> Void = { _ in }
    ) throws -> ImageRequest {
        try .test {
            $0.targetSize = side.map { PixelSize(width: $0, height: $0) }
            change(&$0)
        }
    }

    private func loader(_ contents: DiskContents = .both) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        return fixture.makeLoader(configuration)
    }

    private func expectNothingKept(_ loader: ImageLoader, _ comment: Comment? = nil) async throws {
        await loader.flush()
        #expect(loader.memoryCache.statistics.count == 0, comment)
        #expect(try await loader.storedEntries().isEmpty, comment)
        #expect(await !loader.contains(try request()), comment)
        if loader.diskCache != nil { #expect(try fixture.temporary.names(in: "cache/entries").isEmpty, comment) }
    }

    // MARK: Nothing is kept

    @Test(arguments: [DiskContents.originals, .processed, .both, .automatic], [nil, 20])
    func noStoreResponse_reachesCallers_andNoCache(contents: DiskContents, side: Int?) async throws {
        let loader = loader(contents)
        for round in 1...2 {
            // Kept by its caller, so a picture that was let go would be found.
            let response = try await loader.response(for: request(side: side))
            #expect(response.source == .network && fixture.transport.callCount == round)
            #expect(loader.cachedImage(for: try request(side: side)) == nil)
            withExtendedLifetime(response) {}
        }
        try await expectNothingKept(loader)
        #expect(fixture.cacheFailures.isEmpty)
    }

    @Test(arguments: [
        ["no-store"], ["No-StOrE"], ["max-age=3600, no-store"], ["public,no-store ,x"], ["no-store=\"a, b\""],
        ["no-store="], ["no-store =1"], ["max-age=3600", "no-store"], ["x=\"a,\\\" b\", no-store"],
    ])
    func noStore_isRecognized_inAnySpelling(values: [String]) async throws {
        answer.headers.withLock { $0 = HTTPHeaders(values.map { (name: "cache-control", value: $0) }) }
        let loader = loader()
        _ = try await loader.image(for: request(side: 20))
        try await expectNothingKept(loader, "\(values)")
    }

    @Test(arguments: ["no-cache", "private", "x=\"no-store\"", "x=\"a, no-store\"", "no-stores", "max-age=0"])
    func otherDirectives_allowStoring(value: String) async throws {
        answer.headers.withLock { $0 = ["Cache-Control": value] }
        let loader = loader()
        _ = try await loader.image(for: request())
        await loader.flush()
        #expect(loader.memoryCache.statistics.count == 1, "\(value)")
        #expect(try await loader.storedEntries().count == 1, "\(value)")
    }

    @Test func callersThatJoinedBeforeLanding_getImage() async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let loader = fixture.makeLoader()
        let callers = try (0..<3).map { _ in
            let request = try request()
            return Task { try await loader.response(for: request) }
        }
        let call = try await transport.nextCall()
        await fixture.untilCoalesced(2)
        call.respond(headers: ["Cache-Control": "no-store"])
        call.send(try Pictures.png(40, 30))
        call.finish()
        for caller in callers { #expect(try await caller.value.source == .network) }
        #expect(transport.callCount == 1)
        #expect(loader.memoryCache.statistics.count == 0)
    }

    // MARK: Requests that forbid it

    @Test(arguments: [[], [.gray()]] as [[any ImageProcessing]])
    func noStoreRequest_isObeyed_fromAnySource(processors: [any ImageProcessing]) async throws {
        answer.headers.withLock { $0 = ["Cache-Control": "max-age=3600"] }
        let own = loader()
        let asked = try request { $0.processors = processors }
        _ = try await own.image(
            for: request { ($0.processors, $0.headers) = (processors, ["cache-control": "No-Store"]) })
        try await expectNothingKept(own, "its own")

        var configuration = fixture.configuration
        configuration.download.headers = ["Cache-Control": "no-store"]
        let all = fixture.makeLoader(configuration)
        _ = try await all.image(for: asked)
        try await expectNothingKept(all, "the loader's")

        configuration.download.headers = [:]
        configuration.download.prepare = RequestPreparation(id: "test") { $0.headers["Cache-Control"] = "no-store" }
        let prepared = fixture.makeLoader(configuration)
        _ = try await prepared.image(for: asked)
        try await expectNothingKept(prepared, "the hook's")
    }

    // MARK: What was kept before

    @Test(arguments: [CacheWritePolicy.all, .nothing])
    func noStoreResponse_removesEarlierImage_unlessBypassing(policy: CacheWritePolicy) async throws {
        answer.headers.withLock { $0 = [:] }
        let first = loader()
        for side in [nil, 20] { _ = try await first.image(for: request(side: side)) }
        await first.flush()
        #expect(try await first.storedEntries().count == 2)
        answer.headers.withLock { $0 = ["Cache-Control": "no-store"] }
        answer.width.withLock { $0 = 44 }
        let new = try await first.image(for: request { ($0.readPolicy, $0.writePolicy) = (.reload, policy) })
        #expect(new.size.width == 44)
        let isLeft = policy == .nothing
        #expect((first.cachedImage(for: try request()) != nil) == isLeft)
        #expect((first.cachedImage(for: try request(side: 20)) != nil) == isLeft)
        #expect(try await first.image(for: request()).size.width == (isLeft ? 40 : 44))
        await first.flush()
        #expect(try await first.storedEntries().count == (isLeft ? 2 : 0))
        // By a loader that has only the disk.
        answer.headers.withLock { $0 = [:] }
        let second = loader()
        #expect(try await second.response(for: request()).source == (isLeft ? .disk : .network))
    }

    /// A form that only the disk has, made of bytes that it does not have.
    @Test func noStoreResponse_removesEarlierVariant() async throws {
        answer.headers.withLock { $0 = [:] }
        let first = loader(.processed)
        _ = try await first.image(for: request(side: 20))
        await first.flush()
        #expect(try await first.storedEntries().map(\.isProcessed) == [true])
        answer.headers.withLock { $0 = ["Cache-Control": "no-store"] }
        _ = try await first.image(for: request(side: 30))
        try await expectNothingKept(first)
    }

    @Test func laterStoredImage_remains() async throws {
        let loader = loader()
        _ = try await loader.image(for: request())
        try await loader.store(Pictures.png(8, 6), for: request())
        await loader.flush()
        #expect(loader.cachedImage(for: try request())?.size.width == 8)
        #expect(try await loader.storedEntries().count == 1)
    }

    /// The disk cache is as slow as it may be: those who wait for the picture don't wait for it.
    @Test(.needsDiskCache) func callers_doNotWaitForDisk() async throws {
        let gate = ThreadGate()
        let loader = loader()
        try await loader.store(Pictures.png(8, 6), for: .test("other"), in: .disk)
        await loader.flush()
        fixture.calls.hold(.rename, on: "/entries/", at: gate)
        try await loader.store(Pictures.png(8, 6), for: .test("other 2"), in: .disk)
        await gate.arrivals(1)
        #expect(try await loader.image(for: request()).size.width == 40)
        gate.open()
        try await loader.diskCache?.remove(.url(.test("other")))
        try await loader.diskCache?.remove(.url(.test("other 2")))
        try await expectNothingKept(loader)
    }

    // MARK: Parts of it

    private static let partHeaders: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]

    @Test(arguments: [true, false])
    func partialBody_isNotRetained(byRequest: Bool) async throws {
        let transport = ScriptedDataLoader()
        let loader = try LoaderFixture(transport).makeLoader()
        let png = try Pictures.png(40, 30)
        var headers = Self.partHeaders
        if !byRequest { headers["Cache-Control"] = "no-store" }
        let asked = try request { if byRequest { $0.headers["Cache-Control"] = "no-store" } }
        let loading = Task { try await loader.image(for: asked) }
        let first = try await transport.nextCall()
        first.respond(headers: headers, expectedBytes: png.count)
        first.send(png.prefix(50))
        first.fail(.connectionFailed(.lost, detail: ""))
        await #expect(throws: ImageLoaderError.connectionFailed(.lost, detail: "")) { try await loading.value }
        let again = Task { try await loader.image(for: asked) }
        let second = try await transport.nextCall()
        #expect(second.request.headers["Range"] == nil)
        second.respond(headers: headers, expectedBytes: png.count)
        second.send(png)
        second.finish()
        _ = try await again.value
        #expect(loader.memoryCache.statistics.count == 0)
    }

    @Test func noStoreContinuation_isObeyed() async throws {
        let transport = ScriptedDataLoader()
        let loader = try LoaderFixture(transport).makeLoader()
        let png = try Pictures.png(40, 30)
        let asked = try request()
        let loading = Task { try await loader.image(for: asked) }
        let first = try await transport.nextCall()
        first.respond(headers: Self.partHeaders, expectedBytes: png.count)
        first.send(png.prefix(50))
        first.fail(.connectionFailed(.lost, detail: ""))
        #expect(await failure { try await loading.value } == .connectionFailed)
        let again = Task { try await loader.image(for: asked) }
        let second = try await transport.nextCall()
        #expect(second.request.headers["Range"] == "bytes=50-")
        second.respond(
            status: 206,
            headers: [
                "ETag": "\"v1\"", "Content-Range": "bytes 50-\(png.count - 1)/\(png.count)",
                "Cache-Control": "no-store",
            ], expectedBytes: png.count - 50)
        second.send(png.dropFirst(50))
        second.finish()
        #expect(try await again.value.size.width == 40)
        await loader.flush()
        #expect(loader.memoryCache.statistics.count == 0)
        #expect(try await loader.storedEntries().isEmpty)
    }

    // MARK: The cases of a third party's suite

    @Test(arguments: HTTPCases.ofStoring)
    func case_requestsAgainOrNot(_ test: HTTPCases.Case) async throws {
        let now: Int64 = 1_800_000_000
        answer.headers.withLock { $0 = test.requests[0].headers(now: now) }
        let loader = loader()
        let request = try request()
        _ = try await loader.image(for: request)
        await loader.flush()
        #expect(try await loader.response(for: request).source == .network)
        #expect(test.requests[1].expectation == "not_cached")
    }

    @Test func cases_areThere() { #expect(HTTPCases.ofStoring.count >= 3) }
}
