import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Callers of one flight that need different things of a resource.
@Suite(.timeLimit(.minutes(1))) struct ResourceNeedsTests {
    private let transport = ScriptedDataLoader()
    private var fixture: LoaderFixture
    private let png: Data
    private let whole: ImageRequest
    private let small: ImageRequest
    private let stale: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
    private let fresh: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=3600"]

    init() throws {
        fixture = try LoaderFixture(transport)
        fixture.configuration.memory.reuseWindow = .zero
        fixture.configuration.disk?.contents = .both
        png = try Pictures.png(64, 64)
        whole = try .test()
        small = try .test { $0.targetSize = PixelSize(width: 8, height: 8) }
    }

    /// A loader whose disk has the picture of a request.
    private func loader(having request: ImageRequest, _ headers: HTTPHeaders) async throws -> ImageLoader {
        let first = fixture.makeLoader()
        let stored = first.imageTask(for: request)
        try await transport.nextCall().answer(png, headers: headers)
        _ = try await stored.value
        await first.close()
        return fixture.makeLoader()
    }

    private func untilCoalesced(_ count: Int, _ loader: ImageLoader) async {
        while await loader.downloads.statistics.coalesced < count, !Task.isCancelled { await Task.yield() }
    }

    /// It joins when the flight has found that nobody needs the bytes.
    @Test func imageThatJoinsAPrefetch_isMadeOfTheFileOnDisk() async throws {
        let loader = try await loader(having: whole, fresh)
        _ = await loader.contains(whole)
        let gate = ThreadGate()
        fixture.calls.hold(.pread, on: "/entries/", at: gate)
        let prefetch = loader.prefetchTask(for: whole)
        await gate.arrivals(1)
        let image = loader.imageTask(for: whole)
        await untilCoalesced(1, loader)
        gate.open()
        #expect(try await image.value.source == .disk)
        #expect(try await prefetch.value == .disk)
        #expect(transport.callCount == 1)
    }

    @Test func prefetch_needsNoRoomForBytes() async throws {
        let loader = try await loader(having: whole, fresh)
        let all = try #require(await loader.downloads.bodyBudget.admit())
        all.add(loader.downloads.bodyBudget.givenLimit ?? 0)
        #expect(try await loader.prefetchTask(for: whole).value == .disk)
        all.release()
    }

    /// The thumbnail is on disk as it was made. Reading it would wait for the room that the confirmed bytes take up.
    @Test func bytesBeyondTheBudget_dontHoldUpTheThumbnailThatSharesThem() async throws {
        var fixture = fixture
        fixture.configuration.download.bodyBudget = BodyBudget(byteLimit: 1)
        _ = try await loader(having: small, stale)
        let loader = fixture.makeLoader()
        let bytes = loader.dataTask(for: whole)
        let call = try await transport.nextCall()
        let image = loader.imageTask(for: small)
        await untilCoalesced(1, loader)
        call.respond(status: 304, headers: stale)
        call.finish()
        #expect(try await image.value.image.size == PixelSize(width: 8, height: 8))
        #expect(try await bytes.value == png)
        #expect(loader.downloads.bodyBudget.byteCount == 0)
    }

    /// Images that have joined flights early wait for no other room while they may hold bytes.
    @Test func imagesOfTwoSizes_areMade_howeverSmallTheBudget() async throws {
        var fixture = fixture
        let budget = BodyBudget(byteLimit: 4 * png.count)
        fixture.configuration.download.bodyBudget = budget
        let loader = fixture.makeLoader()
        let requests = try (0..<16).map { number in
            try ImageRequest.test("\(number).png") { $0.targetSize = PixelSize(width: 8, height: 8) }
        }
        for request in requests {
            let task = loader.imageTask(for: request)
            try await transport.nextCall().answer(png, headers: fresh)
            _ = try await task.value
        }
        await loader.flush()
        await loader.memoryCache.removeAll()
        let all = try #require(await budget.admit())
        all.add(4 * png.count)
        let others = requests.map { request in
            var request = request
            request.targetSize = PixelSize(width: 16, height: 16)
            return loader.imageTask(for: request)
        }
        while budget.waitingReads < others.count, !Task.isCancelled { await Task.yield() }
        let made = requests.map { loader.imageTask(for: $0) }
        all.release()
        for task in others + made { _ = try await task.value }
        #expect(budget.byteCount == 0)
    }

    @Test func cancelledPrefetch_storesNothing() async throws {
        let loader = fixture.makeLoader()
        let image = loader.imageTask(for: try .test { $0.writePolicy = .memoryOnly })
        let call = try await transport.nextCall()
        let prefetch = loader.prefetchTask(for: whole)
        await untilCoalesced(1, loader)
        prefetch.cancel()
        call.answer(png, headers: fresh)
        _ = try await image.value
        await loader.flush()
        #expect(await loader.contains(whole, in: .disk) == false)
    }

    @Test func bytesThatAreOverAtOnce_dontKeepTheImageFromBeingStored() async throws {
        let loader = fixture.makeLoader()
        let brief = loader.dataTask(for: try .test { $0.timeToLive = .zero })
        let call = try await transport.nextCall()
        let image = loader.imageTask(for: whole)
        await untilCoalesced(1, loader)
        call.answer(png, headers: fresh)
        _ = try await (image.value, brief.value)
        await loader.flush()
        #expect(await loader.contains(whole, in: .disk))
    }

    @Test func imageThatIsStoredNowhere_renewsNothingOnDisk() async throws {
        let loader = try await loader(having: whole, stale)
        let image = loader.imageTask(for: try .test { $0.writePolicy = .nothing })
        let call = try await transport.nextCall()
        call.respond(status: 304, headers: fresh)
        call.finish()
        _ = try await image.value
        await loader.flush()
        let entry = await loader.diskCache?.entry(for: loader.key(for: whole).original)
        #expect(entry?.freshness?.isFresh(at: TimeSource().secondsSince1970()) == false)
    }

    @Test func reload_replacesAPictureByAPage() async throws {
        let loader = try await loader(having: whole, fresh)
        let page = Data("<html>moved</html>".utf8)
        let reload = loader.dataTask(for: try .test { $0.readPolicy = .reload })
        try await transport.nextCall().answer(page, headers: fresh)
        #expect(try await reload.value == page)
        #expect(try await loader.data(for: whole) == page)
    }

    /// The picture is read, to be compared with the page, when the last caller leaves.
    @Test func pageInPlaceOfAPicture_replacesNothing_ifItsCallerIsCancelled() async throws {
        let loader = try await loader(having: whole, stale)
        let task = loader.dataTask(for: whole)
        let call = try await transport.nextCall()
        let gate = ThreadGate()
        fixture.calls.hold(.read, at: gate)
        call.answer(Data("<html>log in</html>".utf8), headers: fresh)
        await gate.arrivals(1)
        task.cancel()
        gate.open()
        await loader.close()
        #expect(await loader.diskCache?.data(for: loader.key(for: whole)) == png)
    }

    /// The other loader has begun the flight, and removes what is in its own memory.
    @Test func pictureThatIsGone_leavesTheMemoryOfAllLoaders() async throws {
        let disk = try DiskStore(.init(directory: fixture.temporary.url.appending(path: "other")))
        let downloads = DownloadCoordinator(loader: transport)
        var configuration = ImageLoader.Configuration()
        configuration.memory.reuseWindow = .zero
        let one = ImageLoader(configuration, diskCache: disk, downloads: downloads)
        let other = ImageLoader(configuration, diskCache: disk, downloads: downloads)
        let stored = other.imageTask(for: whole)
        try await transport.nextCall().answer(png, headers: stale)
        _ = try await stored.value
        await other.flush()
        let loads = [one.dataTask(for: whole)]
        let call = try await transport.nextCall()
        let second = other.dataTask(for: whole)
        await untilCoalesced(1, other)
        call.respond(status: 404)
        call.finish()
        for load in loads + [second] { await load.end() }
        #expect(other.cachedResponse(for: whole) == nil)
        await one.close()
        await other.close()
    }
}
