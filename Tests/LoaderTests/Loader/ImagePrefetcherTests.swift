import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ImagePrefetcherTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let png: Data

    init() throws {
        fixture = try LoaderFixture(transport)
        png = try Pictures.png(40, 30)
    }

    private func urls(_ numbers: Range<Int>) throws -> [URL] { try numbers.map { try .test("\($0).png") } }

    private func answer(_ call: ScriptedDataLoader.Call) { call.answer(png, headers: ["Cache-Control": "max-age=60"]) }

    /// Suspends until the progress is as expected.
    private func wait(
        _ prefetcher: ImagePrefetcher, until holds: (ImagePrefetcher.Progress) -> Bool
    ) async -> ImagePrefetcher.Progress {
        for await progress in prefetcher.progressUpdates where holds(progress) { return progress }
        return ImagePrefetcher.Progress()
    }

    // MARK: Loading

    @Test(arguments: ImagePrefetcher.Destination.allCases)
    func images_areThere_whenTheyAreNeeded(destination: ImagePrefetcher.Destination) async throws {
        let loader = fixture.makeLoader()
        let prefetcher = ImagePrefetcher(loader, destination: destination)
        prefetcher.start(try urls(0..<3))
        for _ in 0..<3 { answer(try await transport.nextCall()) }
        let progress = await wait(prefetcher) { $0.remaining == 0 }
        #expect(progress.finished == 3 && progress.total == 3 && progress.receivedBytes == 3 * png.count)
        for url in try urls(0..<3) {
            #expect((loader.cachedImage(for: url) != nil) == (destination == .memory))
            let response = try await loader.response(for: ImageRequest(url: url))
            #expect(response.source == (destination == .memory ? .memory : .disk))
        }
        #expect(transport.callCount == 3)
    }

    @Test(arguments: ImagePrefetcher.Destination.allCases)
    func outcomes_areTold_exceptOfStoppedImages(destination: ImagePrefetcher.Destination) async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader(), destination: destination, window: 1)
        var outcomes = prefetcher.outcomes.makeAsyncIterator()
        let urls = try urls(0..<3)
        prefetcher.start(urls)
        answer(try await transport.nextCall())
        let first = try #require(await outcomes.next())
        #expect(first.request.url == urls[0] && first.result == .success(.network))
        let stopped = try await transport.nextCall()
        prefetcher.stop([urls[1]])
        _ = try await stopped.ended()
        try await transport.nextCall().answer(status: 404)
        let last = try #require(await outcomes.next())
        #expect(last.request.url == urls[2] && last.result == .failure(.badStatus(404)))
    }

    /// Their loads end as soon as they begin.
    @Test func outcomes_areInTheOrderOfTheEnds() async throws {
        let loader = fixture.makeLoader()
        let urls = try urls(0..<200)
        let image = DecodedImage(bitmap: try Pictures.plain(1, 1))
        for url in urls { try await loader.store(image, for: ImageRequest(url: url)) }
        let prefetcher = ImagePrefetcher(loader, window: urls.count)
        var outcomes = prefetcher.outcomes.makeAsyncIterator()
        prefetcher.start(urls)
        var loaded: [URL] = []
        while loaded.count < urls.count, let next = await outcomes.next() {
            loaded.append(try #require(next.request.url))
        }
        #expect(loaded == urls)
    }

    @Test(arguments: ImagePrefetcher.Destination.allCases)
    func imagesThatAreThere_areSkipped(destination: ImagePrefetcher.Destination) async throws {
        let loader = fixture.makeLoader()
        async let loaded = loader.image(for: .test("0.png"))
        answer(try await transport.nextCall())
        _ = try await loaded
        await loader.flush()
        let prefetcher = ImagePrefetcher(loader, destination: destination)
        prefetcher.start(try urls(0..<2))
        answer(try await transport.nextCall())
        let progress = await wait(prefetcher) { $0.remaining == 0 }
        #expect(progress.skipped == 1 && progress.finished == 1 && transport.callCount == 2)
    }

    /// Only the end of its file is read, also by a loader that doesn't know yet what is there.
    @Test func imageOnDisk_isNotRead_whenItIsSkipped() async throws {
        let (url, body) = (try URL.test("0.png"), Data(repeating: 7, count: 100_000))
        let loader = fixture.makeLoader()
        async let loaded = loader.data(for: url)
        try await transport.nextCall().answer(body, headers: ["Cache-Control": "max-age=60"])
        _ = try await loaded
        await loader.flush()
        for loader in [loader, fixture.makeLoader()] {
            let prefetcher = ImagePrefetcher(loader, destination: .disk)
            prefetcher.start([url])
            #expect(await wait(prefetcher) { $0.remaining == 0 }.skipped == 1)
        }
        let file = try #require(await loader.diskCache?.digest(for: loader.key(for: ImageRequest(url: url))))
        #expect(fixture.calls.count(of: .read, on: file) == 0)
        #expect((1...EntryFile.usualEndLength).contains(fixture.calls.largestRead(of: file)))
        #expect(try await fixture.makeLoader().data(for: url) == body && transport.callCount == 1)
        #expect(fixture.calls.count(of: .read, on: file) > 0)
    }

    /// What the server says of it depends on what is there.
    @Test func staleImage_isRead_whenItIsPrefetched() async throws {
        let loader = fixture.makeLoader()
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
        async let loaded = loader.data(for: .test("0.png"))
        try await transport.nextCall().answer(png, headers: headers)
        _ = try await loaded
        await loader.flush()
        let prefetcher = ImagePrefetcher(loader, destination: .disk)
        prefetcher.start(try urls(0..<1))
        let confirmation = try await transport.nextCall()
        #expect(confirmation.request.headers["If-None-Match"] == "\"1\"")
        confirmation.respond(status: 304, headers: headers)
        confirmation.finish()
        #expect(await wait(prefetcher) { $0.remaining == 0 }.skipped == 1)
        // Besides the one before it was there.
        let looks = await loader.metrics.disk
        #expect(looks?.hits == 1 && looks?.reads.count == 1 && looks?.misses == 1)
        prefetcher.start(try urls(0..<1))
        // A page that answers in place of a picture.
        try await transport.nextCall().answer(Data("<html>".utf8), headers: headers)
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 1)
        await loader.flush()
        #expect(await loader.diskCache?.data(for: loader.key(for: try .test("0.png"))) == png)
    }

    @Test(
        arguments: [
            .badStatus(404), .badStatus(410), .corruptImage(.png, reason: ""), .emptyBody,
            .limitExceeded(.inputBytes, value: 2, allowed: 1), .invalidURL("", reason: ""), .unsupportedScheme("ftp"),
            .processingFailed(processor: "Own", UnderlyingError(ImageLoaderError.emptyBody)),
        ] as [ImageLoaderError])
    func imageThatFailsForGood_isNotRequestedAgain_untilItIsForgotten(error: ImageLoaderError) async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader())
        prefetcher.start(try urls(0..<1))
        try await transport.nextCall().fail(error)
        #expect(await wait(prefetcher) { $0.remaining == 0 }.failed == 1)
        prefetcher.start(try urls(0..<1))
        prefetcher.update(to: try urls(0..<1))
        #expect(await prefetcher.progress.total == 1 && transport.callCount == 1)
        prefetcher.forgetFailures()
        prefetcher.start(try urls(0..<1))
        answer(try await transport.nextCall())
        #expect(await wait(prefetcher) { $0.finished == 1 }.failed == 1)
    }

    @Test(
        arguments: [
            .connectionFailed(.lost, detail: ""), .connectionFailed(.hostNotFound, detail: ""), .timedOut(.idle),
            .truncated(received: 1, expected: 2), .malformedResponse(""), .contentTypeRefused("text/html"),
            .badStatus(500), .badStatus(503), .badStatus(429), .badStatus(401),
            .destinationRefused(host: "host.test", reason: ""),
        ] as [ImageLoaderError])
    func imageThatFailsForNow_isRequestedAgain_onceItIsStartedAgain(error: ImageLoaderError) async throws {
        // The downloads' owner doesn't remember it either.
        var configuration = fixture.configuration
        configuration.download.failureLifetimes = FailureLifetimes()
        let prefetcher = ImagePrefetcher(ImageLoader(configuration))
        prefetcher.start(try urls(0..<1))
        try await transport.nextCall().fail(error)
        #expect(await wait(prefetcher) { $0.remaining == 0 }.failed == 1)
        // Not by itself.
        prefetcher.start([])
        #expect(await prefetcher.progress.total == 1 && transport.callCount == 1)
        prefetcher.start(try urls(0..<1))
        try await transport.nextCall().fail(error)
        #expect(await wait(prefetcher) { $0.failed == 2 }.total == 2)
        prefetcher.update(to: try urls(0..<1))
        try await transport.nextCall().fail(error)
        let third = await wait(prefetcher) { $0.failed == 3 }
        prefetcher.update(to: try urls(0..<1))
        #expect(await prefetcher.progress == third && third.total == 3 && transport.callCount == 3)
        prefetcher.forgetFailures()
        prefetcher.update(to: try urls(0..<1))
        answer(try await transport.nextCall())
        let progress = await wait(prefetcher) { $0.finished == 1 }
        #expect(progress.failed == 3 && progress.total == 4)
    }

    /// The list is passed on every scroll.
    @Test(arguments: ImagePrefetcher.Destination.allCases)
    func imageThatMayNotBeStored_isRequestedOnce_whileItIsListed(destination: ImagePrefetcher.Destination) async throws
    {
        let prefetcher = ImagePrefetcher(fixture.makeLoader(), destination: destination)
        prefetcher.update(to: try urls(0..<2))
        for _ in 0..<2 { try await transport.nextCall().answer(png, headers: ["Cache-Control": "no-store"]) }
        let loaded = await wait(prefetcher) { $0.remaining == 0 }
        #expect(loaded.finished == 2 && loaded.total == 2)
        prefetcher.update(to: try urls(0..<2))
        prefetcher.update(to: try urls(0..<2).reversed())
        #expect(await prefetcher.progress == loaded && transport.callCount == 2)
        // It leaves the list and comes back.
        prefetcher.update(to: try urls(1..<2))
        prefetcher.update(to: try urls(0..<2))
        let again = try await transport.nextCall()
        #expect(again.request.url.path == "/0.png")
        answer(again)
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 3)
        prefetcher.start(try urls(1..<2))
        let started = try await transport.nextCall()
        #expect(started.request.url.path == "/1.png")
        answer(started)
        let progress = await wait(prefetcher) { $0.remaining == 0 }
        #expect(progress.finished == 4 && progress.total == 4)
    }

    /// Its server is asked once the downloads have forgotten the failure.
    @Test(
        arguments: [.notAnImage(found: "HTML"), .redirectRefused(location: "", reason: "")] as [ImageLoaderError])
    func imageThatALoginPageMayHaveReplaced_isRequestedAgain_afterAWhile(error: ImageLoaderError) async throws {
        let clock = ManualClock()
        var configuration = fixture.configuration
        configuration.clock = clock
        configuration.download.failureLifetimes = FailureLifetimes()
        let prefetcher = ImagePrefetcher(ImageLoader(configuration))
        prefetcher.start(try urls(0..<1))
        try await transport.nextCall().fail(error)
        #expect(await wait(prefetcher) { $0.remaining == 0 }.failed == 1)
        prefetcher.start(try urls(0..<1))
        #expect(await wait(prefetcher) { $0.remaining == 0 }.failed == 2)
        #expect(transport.callCount == 1)
        clock.advance(by: .seconds(60))
        prefetcher.start(try urls(0..<1))
        answer(try await transport.nextCall())
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 1)
    }

    @Test func damagedImage_isRequestedAgain_ifItMayBeTruncated() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader())
        let half = png.prefix(png.count / 2)
        // Delimited by the close of the connection, and then by the length of the coded body.
        let coded: HTTPHeaders = ["Content-Encoding": "gzip", "Content-Length": "9"]
        for (number, headers) in [[:], coded].enumerated() {
            prefetcher.start(try urls(0..<1))
            let call = try await transport.nextCall()
            call.respond(headers: headers)
            call.send(half)
            call.finish()
            #expect(await wait(prefetcher) { $0.remaining == 0 }.failed == number + 1)
        }
        prefetcher.start(try urls(0..<1))
        #expect(await prefetcher.progress.total == 2 && transport.callCount == 2)
    }

    // MARK: Stopping

    /// Neither what waits for the window nor what waits for a slot is requested.
    @Test func stoppedImages_areNotRequested() async throws {
        let loader = fixture.makeLoader()
        let prefetcher = ImagePrefetcher(loader, window: 8)
        prefetcher.start(try urls(0..<20))
        let first = try await transport.nextCall()
        prefetcher.stop(try urls(0..<20).filter { $0.path != first.request.url.path })
        #expect(await prefetcher.progress.total == 1)
        answer(first)
        _ = await wait(prefetcher) { $0.finished == 1 }
        // Whatever else had begun by then has been cancelled, or never will.
        while await loader.downloads.statistics.running > 0 { await Task.yield() }
        let count = transport.callCount
        await loader.path.flights.ended { flight, _ in flight.hasLanded }
        #expect(transport.callCount == count && count <= 8)
    }

    @Test func startAndStop_inOneTurn_requestNothing() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader(), window: 2)
        prefetcher.pause()
        for _ in 0..<100 {
            prefetcher.start(try urls(0..<50))
            prefetcher.stop(try urls(0..<50))
        }
        prefetcher.resume()
        #expect(await prefetcher.progress == ImagePrefetcher.Progress())
        #expect(transport.callCount == 0)
    }

    @Test func update_keepsWhatRuns_andCancelsWhatIsGone() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader(), window: 2)
        prefetcher.start(try urls(0..<4))
        let calls = [try await transport.nextCall(), try await transport.nextCall()].sorted {
            $0.request.url.path < $1.request.url.path
        }
        prefetcher.update(to: try [9, 1, 3].map { try URL.test("\($0).png") })
        try await calls[0].cancelled()
        let next = try await transport.nextCall()
        #expect(next.request.url.path == "/9.png")
        answer(calls[1])
        let last = try await transport.nextCall()
        #expect(last.request.url.path == "/3.png")
        for call in [next, last] { answer(call) }
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 3)
    }

    @Test func emptyLists_stopEverything_orNothing() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader())
        prefetcher.start(try urls(0..<1))
        let call = try await transport.nextCall()
        prefetcher.start([])
        prefetcher.stop([])
        #expect(await prefetcher.progress.total == 1)
        prefetcher.update(to: [])
        try await call.cancelled()
        #expect(await prefetcher.progress.total == 0)
    }

    private struct Photo: ImageRequestConvertible {
        let imageRequest: ImageRequest
    }

    @Test func ownTypes_arePrefetched() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader())
        let photo = Photo(imageRequest: ImageRequest(url: try .test()))
        prefetcher.update(to: [photo])
        let call = try await transport.nextCall()
        prefetcher.stop([photo])
        try await call.cancelled()
        prefetcher.start([photo])
        answer(try await transport.nextCall())
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 1)
    }

    @Test func releasedPrefetcher_cancelsItsLoads() async throws {
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(fixture.makeLoader())
        var updates = prefetcher?.progressUpdates.makeAsyncIterator()
        prefetcher?.start(try urls(0..<1))
        let call = try await transport.nextCall()
        weak let released = prefetcher
        prefetcher = nil
        try await call.cancelled()
        while await updates?.next() != nil {}
        while released != nil { await Task.yield() }
    }

    /// Its reader may be gone before the prefetcher can add it.
    @Test func droppedObserver_isNotKept() async {
        let prefetcher = ImagePrefetcher(fixture.makeLoader())
        _ = prefetcher.progressUpdates
        repeat { _ = await prefetcher.progress } while await !prefetcher.observers.isEmpty && !Task.isCancelled
    }

    // MARK: Slots and priorities

    @Test func windowBelowOne_isRefused() async {
        await #expect(processExitsWith: .failure) {
            _ = ImagePrefetcher(ImageLoader(), window: 0)
        }
    }

    /// A prefetched image leaves half of the slots to others, whatever priority is asked for.
    @Test func prefetching_takesHalfOfTheSlots() async throws {
        var configuration = fixture.configuration
        configuration.download.maximumConcurrentDownloads = 4
        configuration.download.maximumConcurrentDownloadsPerHost = 4
        let loader = ImageLoader(configuration)
        let prefetcher = ImagePrefetcher(loader, window: 12, priority: .veryHigh)
        prefetcher.start(try urls(0..<6))
        prefetcher.setPriority(.high)
        var calls = [try await transport.nextCall(), try await transport.nextCall()]
        let visible = Task { try await loader.image(for: .test("visible.png")) }
        calls.append(try await transport.nextCall())
        #expect(calls[2].request.url.path == "/visible.png")
        while await loader.downloads.statistics.queued < 4 { await Task.yield() }
        #expect(transport.callCount == 3)
        answer(calls[2])
        _ = try await visible.value
        prefetcher.stopAll()
        for call in calls.prefix(2) { try await call.cancelled() }
    }

    /// A view joins the load of a prefetched image, which then has the view's priority.
    @Test func visibleImage_joinsItsPrefetching_andRaisesIt() async throws {
        var configuration = fixture.configuration
        configuration.download.maximumConcurrentDownloads = 2
        let loader = ImageLoader(configuration)
        let prefetcher = ImagePrefetcher(loader)
        prefetcher.start(try urls(0..<3))
        let first = try await transport.nextCall()
        while await loader.downloads.statistics.queued < 2 { await Task.yield() }
        let queued = try #require(try urls(0..<3).first { $0.path != first.request.url.path })
        let visible = loader.imageTask(for: ImageRequest(url: queued))
        let raised = try await transport.nextCall()
        #expect(raised.request.url.path == queued.path)
        // It is loaded even if it isn't prefetched any more.
        prefetcher.stopAll()
        try await first.cancelled()
        answer(raised)
        #expect(try await visible.image.size.width == 40)
        #expect(transport.callCount == 2)
    }

    // MARK: Holding

    @Test func pause_letsRunningLoadsEnd() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader(), window: 1)
        prefetcher.start(try urls(0..<2))
        let call = try await transport.nextCall()
        prefetcher.pause()
        answer(call)
        #expect(await wait(prefetcher) { $0.finished == 1 }.remaining == 1)
        #expect(transport.callCount == 1)
        prefetcher.resume()
        answer(try await transport.nextCall())
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 2)
    }

    @Test func constrainedNetwork_cancelsLoads_whichBeginAgainLater() async throws {
        let prefetcher = ImagePrefetcher(fixture.makeLoader(), window: 1)
        prefetcher.start(try urls(0..<2))
        let call = try await transport.nextCall()
        call.respond(expectedBytes: png.count)
        call.send(png.prefix(10))
        try await call.delivered()
        prefetcher.setConstrained(true)
        try await call.cancelled()
        prefetcher.pause()
        prefetcher.setConstrained(false)
        #expect(await prefetcher.progress.remaining == 2)
        prefetcher.resume()
        for name in ["/0.png", "/1.png"] {
            let call = try await transport.nextCall()
            #expect(call.request.url.path == name)
            answer(call)
        }
        let progress = await wait(prefetcher) { $0.remaining == 0 }
        #expect(progress.finished == 2 && progress.receivedBytes >= 2 * png.count)
    }

    @Test(arguments: ImagePrefetcher.Destination.allCases)
    func constrainedLoads_resumeWhereTheyBrokeOff(destination: ImagePrefetcher.Destination) async throws {
        let loader = fixture.makeLoader()
        let prefetcher = ImagePrefetcher(loader, destination: destination)
        prefetcher.start(try urls(0..<2))
        var fields = CoordinatorFixture.resumable
        fields["Cache-Control"] = "max-age=60"
        for _ in 0..<2 {
            let call = try await transport.nextCall()
            call.respond(headers: fields, expectedBytes: png.count)
            call.send(png.prefix(10))
            try await call.delivered()
        }
        prefetcher.setConstrained(true)
        while !Task.isCancelled, await loader.downloads.statistics.cancelled < 2 { await Task.yield() }
        prefetcher.setConstrained(false)
        for _ in 0..<2 {
            let call = try await transport.nextCall()
            #expect(call.request.headers["Range"] == "bytes=10-")
            fields["Content-Range"] = "bytes 10-\(png.count - 1)/\(png.count)"
            call.respond(status: 206, headers: fields, expectedBytes: png.count - 10)
            call.send(png.dropFirst(10))
            call.finish()
        }
        #expect(await wait(prefetcher) { $0.remaining == 0 }.finished == 2)
        for url in try urls(0..<2) { #expect(try await loader.image(for: url).size.width == 40) }
        #expect(transport.callCount == 4)
    }

    /// All loads of the loader are cancelled. The prefetcher goes on with the others.
    @Test func cancelledLoads_leaveTheList() async throws {
        let loader = fixture.makeLoader()
        let prefetcher = ImagePrefetcher(loader, window: 1)
        prefetcher.start(try urls(0..<2))
        let call = try await transport.nextCall()
        await loader.cancelAll()
        try await call.cancelled()
        let next = try await transport.nextCall()
        #expect(next.request.url.path == "/1.png")
        answer(next)
        let progress = await wait(prefetcher) { $0.remaining == 0 }
        #expect(progress.finished == 1 && progress.total == 1)
    }
}
