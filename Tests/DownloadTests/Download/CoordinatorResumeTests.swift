import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Resuming a broken body so that the result is the whole body.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorResumeTests {
    private func makeFixture(retries: Bool = false, byteLimit: Int = 1000) -> CoordinatorFixture {
        CoordinatorFixture {
            if retries { $0.retry = .atOnce() }
            $0.maximumResumableBytes = byteLimit
        }
    }

    /// Starts a download without a range and breaks it after `bytes` bytes.
    private func breakDownload(
        _ fixture: CoordinatorFixture, after bytes: Int, headers: HTTPHeaders = CoordinatorFixture.resumable
    ) async throws {
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == nil)
        try await fixture.begin(call, bytes: bytes, headers: headers)
        call.fail(.connectionFailed(.lost, detail: "cable"))
        await #expect(throws: ImageLoaderError.connectionFailed(.lost, detail: "cable")) { try await caller.value }
    }

    @Test func retry_requestsAndAppendsTheRest() async throws {
        let fixture = makeFixture(retries: true)
        let caller = try fixture.download()
        let first = try await fixture.nextCall()
        #expect(first.request.headers["Range"] == nil)
        try await fixture.begin(first, bytes: 40)
        first.fail(.connectionFailed(.lost, detail: ""))
        let second = try await fixture.nextCall()
        #expect(second.request.headers["Range"] == "bytes=40-")
        #expect(second.request.headers["If-Range"] == "\"v1\"")
        fixture.goOn(second, from: 40)
        let download = try await caller.value
        #expect(download.body == fixture.body)
        #expect(download.head.status == 200)
        let statistics = await fixture.statistics
        #expect(statistics.resumed == 1)
        #expect(statistics.retried == 1)
        // The download that succeeded has received only the rest.
        #expect(statistics.bytesReceived == 60)
    }

    /// The response with the rest says how long the whole body is fresh.
    @Test func resumedHead_isTheFirstHead_updatedByTheSecond() async throws {
        let fixture = makeFixture()
        let old: HTTPHeaders = [
            "ETag": "\"v1\"", "Accept-Ranges": "bytes", "Cache-Control": "max-age=60", "Age": "50", "X-Old": "1",
            "Date": "Sun, 06 Nov 1994 07:49:37 GMT",
        ]
        try await breakDownload(fixture, after: 40, headers: old)
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == "bytes=40-")
        call.respond(
            status: 206,
            headers: [
                "ETag": "\"v1\"", "Content-Range": "bytes 40-99/100", "Content-Length": "60",
                "cache-control": "max-age=600",
            ], expectedBytes: 60)
        call.send(fixture.body.dropFirst(40))
        call.finish()
        let download = try await caller.value
        let head = download.head
        #expect(head.status == 200 && head.expectedBytes == 100)
        #expect(head.headers["Cache-Control"] == "max-age=600" && head.headers["X-Old"] == "1")
        #expect(["Age", "Date", "Content-Range", "Content-Length"].allSatisfy { head.headers[$0] == nil })
        #expect(download.freshness.endSecond == CoordinatorFixture.timeOfDay + 600)
    }

    @Test func rest_isRequestedUncoded_whateverTheRequestAccepts() async throws {
        let fixture = makeFixture(retries: true)
        let caller = fixture.download(try .test { $0.headers = ["Accept-Encoding": "br"] })
        let first = try await fixture.nextCall()
        #expect(first.request.headers["Accept-Encoding"] == "br")
        try await fixture.begin(first, bytes: 40)
        first.fail(.connectionFailed(.lost, detail: ""))
        let second = try await fixture.nextCall()
        #expect(second.request.headers["Accept-Encoding"] == "identity")
        fixture.goOn(second, from: 40)
        #expect(try await caller.value.body == fixture.body)
    }

    @Test func laterDownload_resumesACancelledOne() async throws {
        let fixture = makeFixture()
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 10)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        await fixture.untilEnded(1)
        let second = try fixture.download()
        let next = try await fixture.nextCall()
        #expect(next.request.headers["Range"] == "bytes=10-")
        fixture.goOn(next, from: 10)
        #expect(try await second.value.body == fixture.body)
        // The part has been used up.
        let third = try fixture.download()
        let last = try await fixture.nextCall()
        #expect(last.request.headers["Range"] == nil)
        fixture.complete(last)
        _ = try await third.value
    }

    /// The next download gets the slot in the same turn in which the part is stored.
    @Test func downloadThatWaitsForTheSlot_resumesTheCancelledOne() async throws {
        let transport = SlowToCancelDataLoader()
        let fixture = CoordinatorFixture(transport.scripted, loader: transport) { $0.maximumConcurrentDownloads = 1 }
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 10)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        let second = try fixture.download()
        await fixture.until { $0.queued == 1 }
        call.fail(.cancelled)
        let next = try await fixture.nextCall()
        #expect(next.request.headers["Range"] == "bytes=10-")
        fixture.goOn(next, from: 10)
        #expect(try await second.value.body == fixture.body)
    }

    @Test func brokenResumption_isResumed() async throws {
        let fixture = makeFixture(retries: true)
        let caller = try fixture.download()
        let first = try await fixture.nextCall()
        try await fixture.begin(first, bytes: 30)
        first.fail(.timedOut(.idle))
        let second = try await fixture.nextCall()
        second.respond(
            status: 206, headers: ["ETag": "\"v1\"", "Content-Range": "bytes 30-99/100"], expectedBytes: 70)
        second.send(fixture.body[30..<50])
        try await second.delivered()
        second.fail(.timedOut(.idle))
        let third = try await fixture.nextCall()
        #expect(third.request.headers["Range"] == "bytes=50-")
        fixture.goOn(third, from: 50)
        #expect(try await caller.value.body == fixture.body)
        #expect(await fixture.statistics.bytesReceived == 50)
    }

    @Test func wholeResponse_startsOver() async throws {
        let fixture = makeFixture()
        try await breakDownload(fixture, after: 40)
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == "bytes=40-")
        fixture.complete(call, headers: ["ETag": "\"v2\""])
        #expect(try await caller.value.body == fixture.body)
        let statistics = await fixture.statistics
        #expect(statistics.resumed == 0)
        #expect(statistics.bytesReceived == 100)
        #expect(fixture.transport.callCount == 2)
    }

    @Test func responseOtherThanTheRest_startsOver_withinTheAttempt() async throws {
        let rest: HTTPHeaders = ["ETag": "\"v1\""]
        func with(_ range: String) -> HTTPHeaders {
            var headers = rest
            headers["Content-Range"] = range
            return headers
        }
        let answers: [(Int, HTTPHeaders, Int)] = [
            (416, ["Content-Range": "bytes */100"], 0), (206, with("bytes 41-99/100"), 59),
            (206, with("bytes 39-99/100"), 61), (206, with("bytes 40-98/100"), 59), (206, with("bytes 40-100/101"), 61),
            (206, with("bytes 40-99/100"), 59), (206, rest, 60),
            (206, ["ETag": "\"v2\"", "Content-Range": "bytes 40-99/100"], 60),
            (206, ["Content-Range": "bytes 40-99/100"], 60),
            (206, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Content-Range": "bytes 40-99/100"], 60),
            (206, ["ETag": "W/\"v1\"", "Content-Range": "bytes 40-99/100"], 60),
            (206, ["ETag": "\"v1\"", "Content-Range": "bytes 40-99/100", "Content-Type": "text/html"], 60),
            (206, ["ETag": "\"v1\"", "Content-Range": "bytes 40-99/100", "Content-Encoding": "br"], 60),
        ]
        for (status, headers, length) in answers {
            let fixture = makeFixture()
            try await breakDownload(fixture, after: 40)
            let caller = try fixture.download()
            let wrong = try await fixture.nextCall()
            wrong.respond(status: status, headers: headers, expectedBytes: length)
            wrong.send(Data(repeating: 0xFF, count: length))
            wrong.finish()
            let call = try await fixture.nextCall()
            #expect(call.request.headers["Range"] == nil)
            #expect(call.request.headers["If-Range"] == nil)
            fixture.complete(call)
            #expect(try await caller.value.body == fixture.body, "\(status) \(headers)")
            // It is still one attempt.
            let statistics = await fixture.statistics
            #expect(statistics.started == 2)
            #expect(statistics.retried == 0)
            #expect(statistics.resumed == 0)
        }
    }

    @Test func unrequestedPart_isMalformed() async throws {
        let fixture = makeFixture()
        let caller = try fixture.download()
        fixture.goOn(try await fixture.nextCall(), from: 40)
        let error = await #expect(throws: ImageLoaderError.self) { try await caller.value }
        #expect(error?.kind == .malformedResponse)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func bodyWithoutRangesOrAStrongValidator_isNotResumed() async throws {
        for headers: HTTPHeaders in [
            ["Accept-Ranges": "bytes"], ["Accept-Ranges": "bytes", "ETag": "W/\"v1\""], ["ETag": "\"v1\""],
            ["Accept-Ranges": "none", "ETag": "\"v1\""],
            ["Accept-Ranges": "bytes", "ETag": "\"v1\"", "Content-Encoding": "gzip"],
        ] {
            let fixture = makeFixture()
            try await breakDownload(fixture, after: 40, headers: headers)
            let caller = try fixture.download()
            let call = try await fixture.nextCall()
            #expect(call.request.headers["Range"] == nil, "\(headers)")
            fixture.complete(call)
            _ = try await caller.value
        }
    }

    @Test func limitOfZeroBytes_retainsNothing() async throws {
        let fixture = makeFixture(byteLimit: 0)
        try await breakDownload(fixture, after: 40)
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == nil)
        fixture.complete(call)
        _ = try await caller.value
    }

    @Test func partOfATooLargeBody_replacesNoOther() async throws {
        let fixture = CoordinatorFixture {
            $0.maximumResumableBytes = 100
            $0.response.maximumBytes = 80
        }
        let useful = try fixture.download("useful.png")
        let call = try await fixture.nextCall()
        call.respond(headers: CoordinatorFixture.resumable, expectedBytes: 70)
        call.send(fixture.body.prefix(40))
        try await call.delivered()
        call.fail(.connectionFailed(.lost, detail: ""))
        _ = await useful.result
        let tooLarge = try fixture.download("large.png")
        let large = try await fixture.nextCall()
        large.respond(headers: CoordinatorFixture.resumable)
        large.send(fixture.body.prefix(80))
        large.send(fixture.body.suffix(20))
        await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: 100, allowed: 80)) {
            try await tooLarge.value
        }
        for (path, range) in [("large.png", nil), ("useful.png", "bytes=40-")] {
            let caller = try fixture.download(path)
            let call = try await fixture.nextCall()
            #expect(call.request.headers["Range"] == range)
            call.fail(.malformedResponse(""))
            _ = await caller.result
        }
    }

    @Test func part_isRetained_afterAttemptsWithoutBytes() async throws {
        let fixture = makeFixture()
        try await breakDownload(fixture, after: 40)
        let second = try fixture.download()
        (try await fixture.nextCall()).fail(.connectionFailed(.refused, detail: "closed"))
        await #expect(throws: ImageLoaderError.connectionFailed(.refused, detail: "closed")) {
            try await second.value
        }
        let third = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503)
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await third.value }
        let fourth = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == "bytes=40-")
        fixture.goOn(call, from: 40)
        #expect(try await fourth.value.body == fixture.body)
    }

    @Test func post_isNeverResumed() async throws {
        let fixture = makeFixture()
        let request = try ImageRequest.test { $0.method = .post }
        for _ in 0..<2 {
            let caller = fixture.download(request)
            let call = try await fixture.nextCall()
            #expect(call.request.headers["Range"] == nil)
            try await fixture.begin(call, bytes: 40)
            call.fail(.timedOut(.idle))
            await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await caller.value }
        }
    }

    @Test func retiring_dropsParts() async throws {
        let fixture = makeFixture()
        try await breakDownload(fixture, after: 40)
        await fixture.coordinator.retire(ResourceKey(try .test()))
        try await breakDownload(fixture, after: 50)
        await fixture.coordinator.retireAll()
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == nil)
        // This includes the part of a running download.
        try await fixture.begin(call, bytes: 60)
        await fixture.coordinator.retire(ResourceKey(try .test()))
        call.fail(.timedOut(.idle))
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await caller.value }
        let last = try fixture.download()
        let next = try await fixture.nextCall()
        #expect(next.request.headers["Range"] == nil)
        fixture.complete(next)
        _ = try await last.value
    }

    @Test func retryOfARetiredDownload_leavesTheNewPartAlone() async throws {
        let fixture = makeFixture(retries: true)
        let old = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503, headers: ["Retry-After": "9"])
        _ = try await fixture.clock.nextSleeper()
        await fixture.coordinator.retire(ResourceKey(try .test()))
        let young = try fixture.download()
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 40)
        young.cancel()
        _ = await young.result
        await fixture.untilEnded(1)
        fixture.clock.advance(by: .seconds(9))
        let retry = try await fixture.nextCall()
        #expect(retry.request.headers["Range"] == nil)
        let next = try fixture.download()
        let rest = try await fixture.nextCall()
        #expect(rest.request.headers["Range"] == "bytes=40-")
        fixture.goOn(rest, from: 40)
        fixture.complete(retry)
        #expect(try await next.value.body == fixture.body)
        _ = try await old.value
    }

    @Test func progress_startsAtTheBytesOfThePart() async throws {
        let fixture = makeFixture()
        try await breakDownload(fixture, after: 40)
        let before = fixture.events.values.count
        let control = LoadControl()
        let caller = try fixture.download(control: control)
        fixture.goOn(try await fixture.nextCall(), from: 40)
        _ = try await caller.value
        let progress = fixture.events.values.dropFirst(before).compactMap { event -> [Int?]? in
            if case .progress(let received, let expected) = event { [received, expected] } else { nil }
        }
        #expect(progress == [[40, 100], [100, 100]])
        #expect(
            fixture.events.values.contains { if case .resumed(from: 40) = $0 { true } else { false } })
        var cursor = DownloadProgress.Cursor()
        #expect(await control.next(after: &cursor) == .started(attempt: 1))
        guard case .response(let head) = await control.next(after: &cursor) else { return must(false, "no head") }
        // It is the head of the whole body, and progress counts to its length.
        #expect(head.expectedBytes == 100)
    }

    @Test func eventsOfAResumedDownload_haveTheRequestsURL() async throws {
        let fixture = makeFixture()
        let url = try #require(URL(string: "http://user:word@host.test/a.png"))
        for start in [0, 40] {
            let caller = fixture.download(ImageRequest(url: url))
            let call = try await fixture.nextCall()
            if start > 0 { fixture.goOn(call, from: start) } else { try await fixture.begin(call, bytes: 40) }
            call.fail(.timedOut(.idle))
            _ = await caller.result
        }
        let urls = fixture.urls.values.compactMap { event -> URL? in
            switch event.1 {
            case .began(.download), .resumed, .ended(.download, _): event.0
            default: nil
            }
        }
        #expect(urls.count == 5)
        #expect(Set(urls) == [url])
    }
}

/// Its calls end when the test ends them, and not when their Task is cancelled.
private final class SlowToCancelDataLoader: DataLoading {
    let scripted = ScriptedDataLoader()

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        let result = await Task { [scripted] () async -> Result<Void, ImageLoaderError> in
            do throws(ImageLoaderError) {
                return .success(try await scripted.load(request, into: sink))
            } catch {
                return .failure(error)
            }
        }.value
        try result.get()
    }
}
