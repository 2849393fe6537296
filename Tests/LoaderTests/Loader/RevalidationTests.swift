import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What becomes of a picture whose response is stale.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct RevalidationTests {
    private let origin: ChangingOrigin
    private var fixture: LoaderFixture

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ contents: DiskContents? = .originals) -> ImageLoader {
        var configuration = fixture.configuration
        if let contents { configuration.disk?.contents = contents } else { configuration.disk = nil }
        return fixture.makeLoader(configuration)
    }

    /// A loader without a disk cache, whose requests the test answers.
    private func loader(asking transport: ScriptedDataLoader) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        configuration.disk = nil
        return fixture.makeLoader(configuration)
    }

    private func request(_ name: String = "a.png", side: Int? = nil) throws -> ImageRequest {
        try .test(name) { $0.targetSize = side.map { PixelSize(width: $0, height: $0) } }
    }

    private func replacePicture() { origin.change { $0.widths["/a.png"] = 44 } }

    // MARK: 304

    @Test(arguments: [DiskContents.originals, nil])
    func confirmedImage_isNeitherSentNorDecodedAgain(contents: DiskContents?) async throws {
        let loader = loader(contents)
        let first = try await loader.response(for: request())
        let small = try await loader.response(for: request(side: 20))
        origin.pass(30)
        #expect(try await loader.response(for: request()).source == .memory)
        origin.pass(31)
        #expect(loader.cachedImage(for: try request()) == nil)
        let again = try await loader.response(for: request())
        #expect(again.source == .memory && !again.isStale && again.image.bitmap === first.image.bitmap)
        #expect(try #require(again.freshness).end == first.freshness?.end.addingTimeInterval(61))
        // The other size was confirmed as well.
        #expect(loader.cachedImage(for: try request(side: 20))?.bitmap === small.image.bitmap)
        let isShared = contents != nil
        #expect(origin.requestCount == (isShared ? 2 : 3) && origin.conditionalCount == 1)
    }

    @Test(arguments: [DiskContents.originals, .processed, .both])
    func confirmedEntry_isFresh_afterRestart(contents: DiskContents) async throws {
        let first = loader(contents)
        for side in [nil, 20] { _ = try await first.image(for: request(side: side)) }
        await first.flush()
        origin.pass(61)
        let count = origin.requestCount
        #expect(try await first.response(for: request(side: 20)).source == .memory)
        await first.flush()
        #expect(origin.requestCount == count + 1)
        let second = loader(contents)
        for side in [nil, 20] { #expect(try await second.response(for: request(side: side)).source == .disk) }
        #expect(origin.requestCount == count + 1)
        // Without anything in memory, the disk has what to ask for and what to show.
        origin.pass(61)
        let third = loader(contents)
        #expect(try await third.response(for: request(side: 20)).source == .disk)
        #expect(origin.requestCount == count + 2 && origin.conditionalCount == 2)
    }

    @Test func allWhoWait_shareOneConditionalRequest() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let first = loader()
        _ = try await first.image(for: request())
        await first.flush()
        origin.pass(61)
        let loader = fixture.makeLoader(configuration)
        let tasks = try (0..<20).map { _ in loader.imageTask(for: try request()) }
        let call = try await transport.nextCall()
        await fixture.untilCoalesced(19)
        #expect(call.request.headers["If-None-Match"] == "\"40\"")
        call.respond(status: 304, headers: ["ETag": "\"40\"", "Cache-Control": "max-age=5"])
        call.finish()
        for task in tasks { #expect(try await task.value.freshness?.lifetime == .seconds(5)) }
        #expect(transport.callCount == 1)
    }

    /// One size is revalidated from memory while another, of which nothing is there, joins its download.
    @Test func confirmation_isNoAnswer_toThoseWithoutTheBody() async throws {
        let transport = ScriptedDataLoader()
        let loader = loader(asking: transport)
        let (png, plain, small) = (try Pictures.png(40, 30), try request(), try request(side: 20))
        async let loaded = loader.response(for: plain)
        let original = try await transport.nextCall()
        original.respond(headers: ["ETag": "\"40\"", "Cache-Control": "max-age=60"])
        original.send(png)
        original.finish()
        _ = try await loaded
        origin.pass(61)
        var both = [loader.imageTask(for: plain)]
        let conditional = try await transport.nextCall()
        both.append(loader.imageTask(for: small))
        while await loader.downloads.statistics.coalesced == 0 { await Task.yield() }
        conditional.respond(status: 304, headers: ["ETag": "\"40\""])
        conditional.finish()
        let whole = try await transport.nextCall()
        #expect(whole.request.headers["If-None-Match"] == nil)
        whole.respond(headers: ["ETag": "\"40\"", "Cache-Control": "max-age=60"])
        whole.send(png)
        whole.finish()
        #expect(try await both[0].value.source == .memory)
        #expect(try await both[1].value.image.size == PixelSize(width: 20, height: 15))
    }

    /// The picture is reloaded meanwhile, and has changed. The older response and the newer image must not be mixed.
    @Test func confirmationThatIsOvertaken_isOfTheOldPicture() async throws {
        let transport = ScriptedDataLoader()
        let loader = loader(asking: transport)
        let request = try request()
        func answer(_ width: Int) async throws {
            let call = try await transport.nextCall()
            call.respond(headers: ["ETag": "\"\(width)\"", "Cache-Control": "max-age=60"])
            call.send(try Pictures.png(width, 30))
            call.finish()
        }
        let first = loader.imageTask(for: request)
        try await answer(40)
        _ = try await first.value
        origin.pass(61)
        let confirmed = loader.imageTask(for: request)
        let conditional = try await transport.nextCall()
        var reload = request
        reload.readPolicy = .reload
        let reloaded = loader.imageTask(for: reload)
        try await answer(44)
        _ = try await reloaded.value
        conditional.respond(status: 304, headers: ["ETag": "\"40\"", "Cache-Control": "max-age=60"])
        conditional.finish()
        #expect(try await confirmed.value.image.size.width == 40)
        #expect(loader.cachedImage(for: request)?.size.width == 44)
    }

    /// The whole picture is requested at once, and replaces all sizes of the one that the server no longer knows.
    @Test(arguments: [DiskContents.originals, nil])
    func confirmationOfAnotherResponse_isNoAnswer(contents: DiskContents?) async throws {
        let loader = loader(contents)
        for side in [nil, 20] { _ = try await loader.image(for: request(side: side)) }
        await loader.flush()
        origin.pass(61)
        origin.change { $0.wrongTag = "\"other\"" }
        let count = origin.requestCount
        let whole = try await loader.response(for: request())
        #expect(whole.source == .network && !whole.isStale)
        #expect(origin.requestCount == count + 2 && origin.conditionalCount == 1)
        #expect(loader.cachedImage(for: try request())?.bitmap === whole.image.bitmap)
        #expect(loader.cachedImage(for: try request(side: 20)) == nil)
        if contents != nil {
            origin.pass(61)
            _ = try await loader.data(for: request())
            #expect(origin.requestCount == count + 4 && origin.conditionalCount == 2)
        }
    }

    @Test func confirmationThatWasNotRequested_isAnError() async throws {
        let loader = loader()
        _ = try await loader.image(for: request())
        origin.pass(61)
        // It answers even the request for the whole image like this.
        origin.change { $0.failure = .status(304, headers: ["ETag": "\"other\""]) }
        await #expect(throws: ImageLoaderError.badStatus(304)) { try await loader.image(for: request()) }
        await #expect(throws: ImageLoaderError.badStatus(304)) { try await loader.data(for: request()) }
        await #expect(throws: ImageLoaderError.badStatus(304)) { try await loader.image(for: request("b.png")) }
        #expect(await !loader.contains(try request("b.png")))
    }

    @Test func confirmation_mayForgetTheQuotesOfATag() async throws {
        let loader = loader()
        _ = try await loader.image(for: request())
        origin.pass(61)
        origin.change { $0.wrongTag = "40" }
        #expect(try await loader.response(for: request()).source == .memory)
        #expect(origin.requestCount == 2)
    }

    /// The image has left the disk when the server confirms it. The whole picture that is then requested replaces all
    /// sizes of the old one.
    @Test(.needsDiskCache) func confirmationOfWhatIsGone_isAnsweredByTheWholePicture() async throws {
        let fields: HTTPHeaders = [
            "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Cache-Control": "max-age=60",
        ]
        origin.change { ($0.hasTags, $0.headers) = (false, fields) }
        let first = loader(.both)
        for side in [20, 30] { _ = try await first.image(for: request(side: side)) }
        await first.flush()
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        configuration.disk?.contents = .both
        let loader = fixture.makeLoader(configuration)
        #expect(try await loader.response(for: request(side: 30)).source == .disk)
        origin.pass(61)
        let small = try request(side: 20)
        async let loaded = loader.response(for: small)
        let conditional = try await transport.nextCall()
        #expect(conditional.request.headers["If-Modified-Since"] != nil)
        // Another process removes the file.
        try FileManager.default.removeItem(atPath: fixture.temporary.file("cache/entries"))
        conditional.respond(status: 304, headers: fields)
        conditional.finish()
        let whole = try await transport.nextCall()
        #expect(whole.request.headers["If-Modified-Since"] == nil)
        whole.respond(headers: fields)
        whole.send(try Pictures.png(44, 30))
        whole.finish()
        #expect(try await loaded.source == .network)
        #expect(try await loader.response(for: small).source == .memory)
        #expect(loader.cachedImage(for: try request(side: 30)) == nil)
    }

    // MARK: 200

    /// A new version is received by a load that doesn't store it in memory.
    @Test(arguments: [false, true])
    func newVersion_removesTheOldOneFromMemory_whereItIsNotStored(isData: Bool) async throws {
        let loader = loader(nil)
        for side in [nil, 20] { _ = try await loader.image(for: request(side: side)) }
        replacePicture()
        var reload = try request()
        reload.readPolicy = .reload
        reload.writePolicy = .diskOnly
        if isData { _ = try await loader.data(for: reload) } else { _ = try await loader.image(for: reload) }
        for side in [nil, 20] { #expect(loader.cachedImage(for: try request(side: side)) == nil) }
    }

    /// The server has changed the picture and not its tag. Once it is reloaded, no size of the old one remains.
    @Test(arguments: [DiskContents.both, nil])
    func reload_replacesAllSizes_underTheSameTag(contents: DiskContents?) async throws {
        let loader = loader(contents)
        origin.change { ($0.hasTags, $0.headers["ETag"]) = (false, "\"constant\"") }
        for side in [nil, 20] { _ = try await loader.image(for: request(side: side)) }
        await loader.flush()
        replacePicture()
        var reload = try request()
        reload.readPolicy = .reload
        #expect(try await loader.image(for: reload).size.width == 44)
        await loader.flush()
        #expect(loader.cachedImage(for: try request(side: 20)) == nil)
        #expect(try await loader.image(for: request(side: 20)).originalSize.width == 44)
    }

    /// The new picture's transfer breaks off. The next load continues it, and still asks about the old one.
    @Test func brokenTransferOfNewPicture_isResumed() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-if-error=0" }
        let first = loader()
        _ = try await first.image(for: request())
        await first.flush()
        origin.pass(61)
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = transport
        let loader = fixture.makeLoader(configuration)
        let (png, plain) = (try Pictures.png(44, 30), try request())
        let lost = ImageLoaderError.connectionFailed(.lost, detail: "lost")
        let broken = Task { try await loader.image(for: plain) }
        let call = try await transport.nextCall()
        let fields: HTTPHeaders = ["ETag": "\"44\"", "Accept-Ranges": "bytes", "Cache-Control": "max-age=60"]
        call.respond(headers: fields, expectedBytes: png.count)
        call.send(png.prefix(60))
        try await call.delivered()
        call.fail(lost)
        await #expect(throws: lost) { try await broken.value }
        async let loaded = loader.response(for: plain)
        let rest = try await transport.nextCall()
        #expect(rest.request.headers["Range"] == "bytes=60-" && rest.request.headers["If-Range"] == "\"44\"")
        #expect(rest.request.headers["If-None-Match"] == "\"40\"")
        var partial = fields
        partial["Content-Range"] = "bytes 60-\(png.count - 1)/\(png.count)"
        rest.respond(status: 206, headers: partial, expectedBytes: png.count - 60)
        rest.send(png.dropFirst(60))
        rest.finish()
        #expect(try await loaded.image.size.width == 44)
        await loader.flush()
        #expect(try await self.loader().response(for: request()).image.size.width == 44)
    }

    @Test(arguments: [DiskContents.originals, .processed, .both])
    func replacedPicture_replacesAllVariants_inBothCaches(contents: DiskContents) async throws {
        let first = loader(contents)
        for side in [nil, 20] { _ = try await first.image(for: request(side: side)) }
        await first.flush()
        replacePicture()
        #expect(try await first.image(for: request()).size.width == 40)
        origin.pass(61)
        #expect(try await first.response(for: request()).image.size.width == 44)
        #expect(first.memoryCache.entry(first.key(for: try request(side: 20))) == nil)
        await first.flush()
        let small = try await first.response(for: request(side: 20))
        #expect(small.image.originalSize.width == 44)
        await first.flush()
        let second = loader(contents)
        for side in [nil, 20] {
            let found = try await second.response(for: request(side: side))
            #expect(found.source == .disk && found.image.originalSize.width == 44)
        }
    }

    @Test func secondProcess_showsNewPicture() async throws {
        let (first, second) = (loader(), loader())
        _ = try await first.image(for: request())
        await first.flush()
        #expect(try await second.response(for: request()).source == .disk)
        replacePicture()
        origin.pass(61)
        for loader in [first, second] { #expect(try await loader.image(for: request()).size.width == 44) }
        for loader in [first, second] { await loader.flush() }
        #expect(try await loader().response(for: request()).image.size.width == 44)
    }

    /// Two sizes whose loads share the download of the new picture are both kept.
    @Test func variantsOfNewPicture_doNotRemoveEachOther() async throws {
        let loader = loader()
        let requests = try [nil, 20].map { try request(side: $0) }
        for request in requests { _ = try await loader.image(for: request) }
        replacePicture()
        origin.pass(61)
        let tasks = requests.map { loader.imageTask(for: $0) }
        for task in tasks { #expect(try await task.value.image.originalSize.width == 44) }
        await loader.flush()
        for request in requests { #expect(try await loader.response(for: request).image.originalSize.width == 44) }
        #expect(try await self.loader().response(for: requests[0]).source == .disk)
    }

    @Test func loadsOverAnHour_askAsTheRulesSay() async throws {
        let loader = loader()
        // Each of 5 pictures every 36 seconds: what is fresh for 60 is asked for every other time.
        for number in 0..<500 {
            if number % 5 == 0, number > 0 { origin.pass(36) }
            _ = try await loader.image(for: request("\(number % 5).png"))
        }
        #expect(origin.requestCount == 250)
        #expect(origin.conditionalCount == 245)
    }

    // MARK: Time

    @Test func noCacheImage_isUsedForTheReuseWindow() async throws {
        origin.change { $0.headers = ["Cache-Control": "no-cache"] }
        let loader = loader()
        _ = try await loader.image(for: request())
        origin.pass(9)
        #expect(try await loader.response(for: request()).source == .memory)
        #expect(origin.requestCount == 1)
        origin.pass(1)
        _ = try await loader.image(for: request())
        #expect(origin.conditionalCount == 1)
        var settings = MemoryCache.Settings()
        settings.reuseWindow = .zero
        try await loader.memoryCache.change(to: settings)
        _ = try await loader.image(for: request())
        #expect(origin.conditionalCount == 2)
        // The next start asks again.
        await loader.flush()
        _ = try await self.loader().image(for: request())
        #expect(origin.conditionalCount == 3)
    }

    @Test func clockSetBack_makesNothingFresh() async throws {
        let loader = loader()
        _ = try await loader.image(for: request())
        await loader.flush()
        origin.pass(-365 * 86_400)
        #expect(loader.cachedImage(for: try request()) == nil)
        #expect(loader.cachedResponse(for: try request())?.staleReason == .unconfirmed)
        _ = try await loader.image(for: request())
        #expect(origin.conditionalCount == 1)
        #expect(loader.cachedImage(for: try request()) != nil)
    }

    @Test func largerAndReleasedImages_obeyFreshness() async throws {
        let loader = loader(nil)
        let large = try await loader.image(for: request())
        var smaller = try request(side: 20)
        smaller.precision = .atLeast
        #expect(loader.cachedImage(for: smaller)?.bitmap === large.bitmap)
        await loader.memoryCache.trim(toBytes: 0)
        #expect(loader.cachedImage(for: smaller)?.bitmap === large.bitmap)
        origin.pass(61)
        #expect(loader.cachedImage(for: smaller) == nil)
        #expect(loader.cachedImage(for: try request()) == nil)
        // Its response is known still, and confirmed without another decode.
        #expect(try await loader.image(for: request()).bitmap === large.bitmap)
        #expect(origin.conditionalCount == 1)
        #expect(loader.cachedImage(for: smaller)?.bitmap === large.bitmap)
        withExtendedLifetime(large) {}
    }
}
