import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// When a stale picture is shown, and how a program learns of it.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct StaleResponseTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func replacePicture() { origin.change { $0.widths["/a.png"] = 44 } }

    /// Whether each revalidation in the background changed the picture.
    private func revalidations(_ count: Int) async -> [Bool] {
        let isEnough = { @Sendable (events: [LoadEvent.Kind]) in
            events.count { if case .revalidated = $0 { true } else { false } } >= count
        }
        return await fixture.events.wait(until: isEnough).compactMap {
            if case .revalidated(_, let isChanged) = $0 { isChanged } else { nil }
        }
    }

    // MARK: stale-while-revalidate

    @Test(arguments: [false, true])
    func staleWhileRevalidate_showsOldPictureAtOnce(isRestarted: Bool) async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let first = fixture.makeLoader()
        _ = try await first.image(for: .test())
        await first.flush()
        replacePicture()
        origin.pass(70)
        let loader = isRestarted ? fixture.makeLoader() : first
        let stale = try await loader.response(for: .test())
        #expect(stale.image.size.width == 40 && stale.staleReason == .whileRevalidating)
        #expect(stale.source == (isRestarted ? .disk : .memory))
        #expect(await revalidations(1) == [true])
        #expect(try await loader.response(for: .test()).image.size.width == 44)
        #expect(origin.requestCount == 2)
        // Later than it permits, all wait for the new one.
        origin.change { $0.widths["/a.png"] = 40 }
        origin.pass(91)
        #expect(try await loader.response(for: .test()).image.size.width == 40)
        #expect(origin.requestCount == 3)
    }

    @Test func handleMadeInACancelledTask_isRevalidated() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test()
        _ = try await loader.image(for: request)
        replacePicture()
        origin.pass(61)
        let task = await Task.detached {
            withUnsafeCurrentTask { $0?.cancel() }
            return loader.imageTask(for: request)
        }.value
        #expect(try await task.value.staleReason == .whileRevalidating)
        #expect(await revalidations(1) == [true])
    }

    @Test func oneRevalidation_isUnderWay_howeverManyAsk() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        configuration.disk = nil
        let loader = fixture.makeLoader(configuration)
        let png = try Pictures.png()
        async let loaded = loader.image(for: .test())
        let first = try await transport.nextCall()
        first.respond(headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=30"])
        first.send(png)
        first.finish()
        _ = try await loaded
        origin.pass(61)
        for _ in 0..<50 { #expect(try await loader.response(for: .test()).isStale) }
        let call = try await transport.nextCall()
        #expect(call.request.headers["Cache-Control"] == nil)
        call.respond(status: 304, headers: ["Cache-Control": "max-age=60"])
        call.finish()
        #expect(await revalidations(1) == [false])
        #expect(try await !loader.response(for: .test()).isStale)
        #expect(transport.callCount == 2)
    }

    @Test(arguments: [false, true])
    func revalidation_isCancelled_withItsLoader(isDropped: Bool) async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let first = fixture.makeLoader()
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        _ = try await first.image(for: .test())
        await first.flush()
        origin.pass(61)
        var loader: ImageLoader? = fixture.makeLoader(configuration)
        #expect(try await loader?.response(for: .test()).isStale == true)
        let call = try await transport.nextCall()
        if isDropped { loader = nil } else { await loader?.cancelAll() }
        try await call.cancelled()
    }

    @Test func staleData_isRevalidatedBehind() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let loader = fixture.makeLoader()
        let old = try await loader.data(for: .test())
        replacePicture()
        origin.pass(61)
        let stale = try await loader.dataResponse(for: .test())
        #expect(stale.data == old && stale.staleReason == .whileRevalidating)
        #expect(await revalidations(1) == [true])
        #expect(try await loader.data(for: .test()) != old)
        #expect(origin.requestCount == 2)
    }

    @Test func staleData_isRevalidatedAgain_afterCancellation() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let first = fixture.makeLoader()
        _ = try await first.data(for: .test())
        await first.flush()
        origin.pass(61)
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = fixture.makeLoader(configuration)
        for _ in 0..<2 {
            #expect(try await loader.dataResponse(for: .test()).isStale)
            let call = try await transport.nextCall()
            await loader.cancelAll()
            try await call.cancelled()
        }
    }

    // MARK: stale-if-error

    @Test(arguments: [
        ("max-age=60", 86_459, true), ("max-age=60", 86_460, false), ("max-age=60, stale-if-error=10", 69, true),
        ("max-age=60, stale-if-error=10", 70, false), ("max-age=60, must-revalidate", 61, false),
        ("no-cache", 11, false),
    ])
    func failingServer_leavesTheLastKnownPicture(_ field: String, after seconds: Int64, isShown: Bool) async throws {
        origin.change { $0.headers["Cache-Control"] = field }
        let first = fixture.makeLoader()
        _ = try await first.image(for: .test())
        await first.flush()
        origin.pass(seconds)
        for failure in [
            ImageLoaderError.connectionFailed(.refused, detail: "offline"), .badStatus(503), .badStatus(429),
            .badStatus(403),
        ] {
            origin.change { state in
                state.failure = if case .badStatus(let status) = failure { .status(status) } else { .failure(failure) }
            }
            for loader in [first, fixture.makeLoader()] {
                await loader.downloads.forgetFailures()
                guard isShown, failure != .badStatus(403) else {
                    await #expect(throws: failure) { try await loader.image(for: .test()) }
                    await #expect(throws: failure) { try await loader.data(for: .test()) }
                    continue
                }
                let response = try await loader.response(for: .test())
                #expect(response.staleReason == .afterError && response.source != .network)
                #expect(try await loader.dataResponse(for: .test()).staleReason == .afterError)
            }
        }
    }

    /// Something on the way answers in the server's place, for example the page where a network asks for a password.
    @Test func answerThatIsNoPicture_leavesTheLastKnownOne() async throws {
        let first = fixture.makeLoader()
        let bytes = try await first.data(for: .test())
        _ = try await first.image(for: .test())
        await first.flush()
        origin.pass(61)
        let html: HTTPHeaders = ["Content-Type": "text/html"]
        let answers: [ScriptedDataLoader.Answer] = [
            .bytes(Data("<html>Please log in</html>".utf8), headers: html), .bytes(bytes.prefix(40)), .bytes(Data()),
            .failure(.redirectRefused(location: "http://portal.example/", reason: "it leads from https to http")),
            .failure(.malformedResponse("rubbish")),
        ]
        for answer in answers {
            origin.change { $0.failure = answer }
            for loader in [first, fixture.makeLoader()] {
                let response = try await loader.response(for: .test { $0.retriesFailed = true })
                #expect(response.staleReason == .afterError && response.image.size.width == 40)
            }
        }
        // Once the server answers itself again, it confirms the picture.
        origin.change { $0.failure = nil }
        let confirmed = try await fixture.makeLoader().response(for: .test { $0.retriesFailed = true })
        #expect(!confirmed.isStale && confirmed.source == .disk)
        #expect(try await first.data(for: .test()) == bytes)
    }

    /// Retries don't hold back a picture that can be shown. For a while, the server isn't asked again.
    @Test(arguments: [false, true])
    func failingServer_isAskedOnce_whereThereIsAPicture(readsData: Bool) async throws {
        var configuration = fixture.configuration
        (configuration.download.retry, configuration.download.failureLifetimes) = (RetryPolicy(), FailureLifetimes())
        let clock = ManualClock()
        configuration.clock = clock
        let loader = fixture.makeLoader(configuration)
        func reason() async throws -> StaleReason? {
            if readsData { return try await loader.dataResponse(for: .test()).staleReason }
            return try await loader.response(for: .test()).staleReason
        }
        #expect(try await reason() == nil)
        await loader.flush()
        origin.pass(61)
        origin.change { $0.failure = .status(503, headers: ["Retry-After": "10"]) }
        for _ in 0..<3 { #expect(try await reason() == .afterError) }
        #expect(origin.requestCount == 2)
        clock.advance(by: .seconds(30))
        #expect(try await reason() == .afterError)
        #expect(origin.requestCount == 3)
        // One that asks for it gets an answer of the server.
        origin.change { $0.failure = nil }
        #expect(try await loader.response(for: .test { $0.readPolicy = .revalidate }).staleReason == nil)
        #expect(origin.requestCount == 4)
    }

    /// Bytes are stored whatever they are, but not in place of a picture.
    @Test func page_replacesNoStoredPicture() async throws {
        let loader = fixture.makeLoader()
        let bytes = try await loader.data(for: .test())
        await loader.flush()
        origin.pass(61)
        let page = Data("<html>Please log in</html>".utf8)
        origin.change { $0.failure = .bytes(page, headers: ["Cache-Control": "max-age=60"]) }
        #expect(try await loader.data(for: .test()) == page)
        origin.change { $0.failure = nil }
        #expect(try await loader.dataResponse(for: .test()).data == bytes)
        #expect(origin.conditionalCount == 2)
    }

    /// Nor is the picture reported as revalidated.
    @Test func page_revalidatesNothingBehind() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=600" }
        let loader = fixture.makeLoader()
        let bytes = try await loader.data(for: .test())
        origin.pass(61)
        origin.change { $0.failure = .bytes(Data("<html>Please log in</html>".utf8)) }
        #expect(try await loader.data(for: .test()) == bytes)
        while origin.requestCount < 2 { await Task.yield() }
        while await loader.downloads.statistics.succeeded < 2 { await Task.yield() }
        origin.change { $0.failure = nil }
        // The next one begins once the first has ended.
        while origin.requestCount < 3 { #expect(try await loader.data(for: .test()) == bytes) }
        #expect(await revalidations(1) == [false])
    }

    /// A picture that the server says is gone isn't shown when the server later fails.
    @Test(arguments: [404, 410], [CacheReadPolicy.http, .reload])
    func pictureThatIsGone_isForgotten(status: Int, policy: CacheReadPolicy) async throws {
        for readsData in [false, true] {
            let loader = fixture.makeLoader()
            _ = try await loader.image(for: .test())
            await loader.flush()
            if policy == .http { origin.pass(61) }
            for failure in [status, 503] {
                origin.change { $0.failure = .status(failure) }
                let request = try ImageRequest.test { ($0.readPolicy, $0.retriesFailed) = (policy, true) }
                await #expect(throws: ImageLoaderError.badStatus(failure)) {
                    if readsData {
                        _ = try await loader.data(for: request)
                    } else {
                        _ = try await loader.image(for: request)
                    }
                }
            }
            #expect(await !loader.contains(try .test()))
            await loader.flush()
            #expect(try await loader.storedEntries().isEmpty)
            origin.change { $0.failure = nil }
        }
    }

    /// A revalidation in the background learns of it.
    @Test(arguments: [false, true])
    func pictureThatIsGone_isForgotten_behind(readsData: Bool) async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        await loader.flush()
        origin.pass(61)
        origin.change { $0.failure = .status(410) }
        if readsData { _ = try await loader.data(for: .test()) } else { _ = try await loader.image(for: .test()) }
        let request = try ImageRequest.test()
        while loader.cachedResponse(for: request) != nil { await Task.yield() }
        #expect(try await loader.storedEntries().isEmpty)
        await #expect(throws: ImageLoaderError.badStatus(410)) { try await loader.image(for: .test()) }
    }

    @Test func staleIfErrorDefault_isASetting() async throws {
        var configuration = fixture.configuration
        configuration.download.caching.staleIfError = .zero
        let loader = fixture.makeLoader(configuration)
        _ = try await loader.image(for: .test())
        origin.pass(61)
        origin.change { $0.failure = .status(500) }
        await #expect(throws: ImageLoaderError.badStatus(500)) { try await loader.image(for: .test()) }
    }

    // MARK: Policies

    /// Where the new picture isn't stored, the old one doesn't remain.
    @Test(arguments: [CacheWritePolicy.memoryOnly, .diskOnly])
    func reloadIntoOneCache_leavesNothingOld(policy: CacheWritePolicy) async throws {
        let loader = fixture.makeLoader()
        for side in [nil, 20] {
            _ = try await loader.image(for: .test { $0.targetSize = side.map { PixelSize(width: $0, height: $0) } })
        }
        await loader.flush()
        replacePicture()
        _ = try await loader.image(for: .test { ($0.readPolicy, $0.writePolicy) = (.reload, policy) })
        await loader.flush()
        #expect(try await loader.image(for: .test()).size.width == 44)
        let restarted = try await fixture.makeLoader().response(for: .test())
        #expect(restarted.image.size.width == 44)
        #expect(restarted.source == (policy == .diskOnly ? .disk : .network))
    }

    @Test func immutableLoader_findsItsImages_howeverOld() async throws {
        var configuration = fixture.configuration
        configuration.readPolicy = .immutable
        let loader = fixture.makeLoader(configuration)
        _ = try await loader.image(for: .test())
        origin.pass(86_400 * 6)
        #expect(loader.cachedImage(for: try .test()) != nil)
        #expect(loader.cachedImage(for: try URL.test()) != nil)
        #expect(await loader.contains(try .test(), in: .memory))
        #expect(try await loader.response(for: .test()).staleReason == .byPolicy)
        await loader.flush()
        #expect(try await fixture.makeLoader(configuration).response(for: .test()).source == .disk)
        #expect(origin.requestCount == 1)
    }

    /// A request that must not be stored says nothing of what others stored.
    @Test func noStoreOfARequest_leavesWhatIsStored() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        origin.pass(61)
        let request = try ImageRequest.test { $0.headers["Cache-Control"] = "no-store" }
        _ = try await loader.image(for: request)
        _ = try await loader.data(for: request)
        #expect(loader.cachedResponse(for: try .test()) != nil)
        await loader.flush()
        #expect(try await loader.storedEntries().count == 1)
    }

    @Test func reuseWindow_isBounded() async throws {
        var settings = MemoryCache.Settings()
        settings.reuseWindow = .seconds(Int64.max)
        await #expect(throws: ImageLoaderError.self) { try await MemoryCache().change(to: settings) }
        settings.reuseWindow = .seconds(365 * 86_400)
        var configuration = fixture.configuration
        configuration.memory = settings
        let loader = fixture.makeLoader(configuration)
        _ = try await loader.image(for: .test())
        origin.pass(86_400)
        #expect(loader.cachedImage(for: try .test()) != nil)
    }

    @Test func event_namesTheRequestWhoseImageWasStale() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test { $0.targetSize = PixelSize(width: 20, height: 20) }
        _ = try await loader.image(for: request)
        origin.pass(61)
        _ = try await loader.image(for: request)
        _ = await revalidations(1)
        let told = fixture.events.values.compactMap { event -> ImageRequest? in
            if case .revalidated(let request, _) = event { request } else { nil }
        }
        #expect(told == [request])
        // A server that fails confirms nothing.
        origin.change { $0.failure = .status(503) }
        origin.pass(61)
        #expect(try await loader.response(for: request).staleReason == .whileRevalidating)
        await loader.cancelAll()
        #expect(fixture.events.values.count { if case .revalidated = $0 { true } else { false } } == 1)
    }

    /// Not the one for the input of its processors, although that was stale.
    @Test(arguments: [[], [2], [2, 3]])
    func event_namesTheRequestWithItsProcessors(numbers: [Int]) async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=30" }
        let runs = CountingProcessor.Runs()
        var configuration = fixture.configuration
        configuration.disk?.contents = .originals
        configuration.processors = [CountingProcessor(1, runs)]
        let loader = fixture.makeLoader(configuration)
        let request = try ImageRequest.test { $0.processors = numbers.map { CountingProcessor($0, runs) } }
        _ = try await loader.data(for: request)
        await loader.flush()
        origin.pass(61)
        let stale = try await loader.response(for: request)
        #expect(stale.staleReason == .whileRevalidating && runs.all == [1] + numbers)
        #expect(await revalidations(1) == [false])
        let told = fixture.events.values.compactMap { event -> ImageRequest? in
            if case .revalidated(let request, _) = event { request } else { nil }
        }
        #expect(told == [request])
        let again = try await loader.response(for: try #require(told.first))
        #expect(again.staleReason == nil && again.image.bitmap == stale.image.bitmap)
    }

    // MARK: What a program sees

    @Test func responses_giveTheOldPicture_thenTheNew() async throws {
        let loader = fixture.makeLoader()
        var seen: [(Int, StaleReason?)] = []
        func see() async throws {
            seen = []
            for try await response in loader.responses(for: try .test()) {
                seen.append((response.image.size.width, response.staleReason))
            }
        }
        try await see()
        #expect(seen.map(\.0) == [40] && seen[0].1 == nil)
        try await see()
        #expect(seen.map(\.0) == [40] && origin.requestCount == 1)
        origin.pass(61)
        try await see()
        #expect(seen.map(\.0) == [40] && seen[0].1 == .unconfirmed && origin.conditionalCount == 1)
        origin.pass(61)
        replacePicture()
        try await see()
        #expect(seen.map(\.0) == [40, 44] && seen[0].1 == .unconfirmed && seen[1].1 == nil)
        // A server without validators sends the same picture again.
        origin.change { ($0.hasTags, $0.widths) = (false, ["/b.png": 44]) }
        for try await _ in loader.responses(for: try .test("b.png")) {}
        origin.pass(61)
        seen = []
        for try await response in loader.responses(for: try .test("b.png")) {
            seen.append((response.image.size.width, response.staleReason))
        }
        #expect(seen.map(\.0) == [44])
    }

    /// Another view's load is faster: the caches have the new picture when the server is asked.
    @Test func responses_endWithTheNewPicture_whoeverLoadedIt() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        origin.pass(61)
        var responses = loader.responses(for: try .test()).makeAsyncIterator()
        #expect(try await responses.next()?.image.size.width == 40)
        replacePicture()
        #expect(try await loader.image(for: .test()).size.width == 44)
        #expect(try await responses.next()?.image.size.width == 44)
        #expect(try await responses.next()?.image == nil)
    }

    @Test func cachedResponse_saysThatAnImageIsStale() async throws {
        let loader = fixture.makeLoader()
        #expect(loader.cachedResponse(for: try .test()) == nil)
        let image = try await loader.image(for: .test())
        #expect(loader.cachedResponse(for: try .test())?.isStale == false)
        origin.pass(61)
        #expect(loader.cachedImage(for: try .test()) == nil)
        let stale = try #require(loader.cachedResponse(for: try .test()))
        #expect(stale.staleReason == .unconfirmed && stale.image.bitmap === image.bitmap && stale.source == .memory)
        #expect(await !loader.contains(try .test(), in: .memory))
    }

    @Test func requestWithRange_isAnsweredFromTheWhole() async throws {
        let loader = fixture.makeLoader()
        let whole = try await loader.data(for: .test())
        for (range, part, header) in [
            ("bytes=2-4", whole[2...4], "bytes 2-4/\(whole.count)"),
            ("bytes=-3", whole.suffix(3), "bytes \(whole.count - 3)-\(whole.count - 1)/\(whole.count)"),
            ("bytes=5-", whole[5...], "bytes 5-\(whole.count - 1)/\(whole.count)"),
        ] {
            let response = try await loader.dataResponse(for: .test { $0.headers["Range"] = range })
            #expect(response.data == part && response.source == .disk && response.head?.status == 206)
            #expect(response.head?.headers["Content-Range"] == header)
        }
        #expect(origin.requestCount == 1)
        for (number, range) in ["bytes=9999-", "bytes=0-1,4-5", "lines=1-2", "bytes=4-2"].enumerated() {
            _ = try await loader.dataResponse(for: .test { $0.headers["Range"] = range })
            #expect(origin.requestCount == 2 + number)
        }
    }

    /// Bytes that were stored without being decoded, and are no picture.
    @Test func storedBodyThatIsNoPicture_isRemoved_whenAnImageIsAskedFor() async throws {
        origin.change { $0.failure = .bytes(Data("no picture".utf8), headers: ["Cache-Control": "max-age=60"]) }
        let loader = fixture.makeLoader()
        #expect(try await loader.data(for: .test()) == Data("no picture".utf8))
        await loader.flush()
        #expect(try await loader.dataResponse(for: .test()).source == .disk)
        await #expect(throws: ImageLoaderError.self) { try await loader.image(for: .test()) }
        await loader.flush()
        #expect(try await loader.storedEntries().isEmpty)
        #expect(fixture.cacheFailures.isEmpty)
        origin.change { $0.failure = nil }
        #expect(try await loader.response(for: .test()).source == .network)
        await loader.flush()
        #expect(try await fixture.makeLoader().response(for: .test()).source == .disk)
    }

    @Test func thousandCallersOfData_storeTheBytesOnce() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = fixture.makeLoader(configuration)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<1_000 { group.addTask { try await loader.data(for: .test()) } }
            let call = try await transport.nextCall()
            while await loader.downloads.statistics.coalesced < 999 { await Task.yield() }
            call.respond()
            call.send(try Pictures.png())
            call.finish()
            for try await _ in group {}
        }
        await loader.flush()
        #expect(transport.callCount == 1)
        if let disk = loader.diskCache { #expect(await disk.statistics.stores == 1) }
    }
}
