import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct CoordinatorFailureMemoryTests {
    /// A server that gives one answer per request, and the last answer to all further requests.
    private func makeFixture(_ answers: ScriptedDataLoader.Answer...) -> CoordinatorFixture {
        let rest = Recorder<Void>()
        let transport = ScriptedDataLoader { _ in
            rest.record(())
            return answers[min(rest.values.count, answers.count) - 1]
        }
        return CoordinatorFixture(transport) { $0.failureLifetimes = FailureLifetimes() }
    }

    private func expect404(_ fixture: CoordinatorFixture, _ request: ImageRequest? = nil) async throws {
        let request = try request ?? .test()
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await fixture.download(request).value }
    }

    @Test func failure_isReturned_untilItsLifetimeEnds() async throws {
        let fixture = makeFixture(.status(404))
        try await expect404(fixture)
        fixture.clock.advance(by: .seconds(300) - .nanoseconds(1))
        try await expect404(fixture)
        #expect(fixture.transport.callCount == 1)
        #expect(await fixture.statistics.failed == 1)
        fixture.clock.advance(by: .nanoseconds(1))
        try await expect404(fixture)
        #expect(fixture.transport.callCount == 2)
    }

    /// What the server says of its answer counts more than the settings.
    @Test(arguments: [
        (404, "max-age=20", 20), (410, "max-age=20", 20), (404, "max-age=0", 0), (404, "no-store", 0),
        (404, "no-cache", 0), (404, "private", 300), (403, "max-age=20", 0),
    ])
    func refusal_isReturned_forAsLongAsItSays(_ status: Int, _ field: String, seconds: Int) async throws {
        let fixture = makeFixture(.status(status, headers: ["Cache-Control": field]))
        let error = ImageLoaderError.badStatus(status)
        await #expect(throws: error) { try await fixture.download(.test()).value }
        if seconds > 0 {
            fixture.clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            await #expect(throws: error) { try await fixture.download(.test()).value }
            #expect(fixture.transport.callCount == 1)
            fixture.clock.advance(by: .nanoseconds(1))
        }
        await #expect(throws: error) { try await fixture.download(.test()).value }
        #expect(fixture.transport.callCount == 2)
    }

    /// What the server says of an earlier attempt's failure doesn't count.
    @Test func freshness_isThatOfTheLastAttempt() async throws {
        let attempts = Recorder<Void>()
        let transport = ScriptedDataLoader { _ in
            attempts.record(())
            return attempts.values.count == 1
                ? .status(503, headers: ["Cache-Control": "max-age=3600"]) : .status(404)
        }
        let fixture = CoordinatorFixture(transport) {
            $0.failureLifetimes = FailureLifetimes()
            $0.retry = .atOnce()
        }
        try await expect404(fixture)
        #expect(transport.callCount == 2)
        fixture.clock.advance(by: .seconds(300))
        try await expect404(fixture)
        #expect(transport.callCount == 3)
    }

    @Test func freshRequest_asksTheServer_despiteAFailure() async throws {
        let fixture = makeFixture(.status(404))
        try await expect404(fixture)
        try await expect404(fixture, .test { $0.retriesFailed = true })
        #expect(fixture.transport.callCount == 2)
        try await expect404(fixture, .test { $0.readPolicy = .reload })
        #expect(fixture.transport.callCount == 3)
        try await expect404(fixture, .test { ($0.readPolicy, $0.writePolicy) = (.reload, .nothing) })
        #expect(fixture.transport.callCount == 4)
        await fixture.coordinator.forgetFailure(of: try .test())
        try await expect404(fixture)
        #expect(fixture.transport.callCount == 5)
        await fixture.coordinator.forgetFailures()
        try await expect404(fixture)
        #expect(fixture.transport.callCount == 6)
        try await expect404(fixture)
        #expect(fixture.transport.callCount == 6)
    }

    @Test func freshRequest_joinsNoPlainDownload() async throws {
        let fixture = CoordinatorFixture()
        let retrying = try ImageRequest.test { $0.retriesFailed = true }
        let plain = try fixture.download()
        let first = try await fixture.nextCall()
        let callers = (0..<2).map { _ in fixture.download(retrying) }
        await fixture.until { $0.started + $0.coalesced == 3 }
        #expect(await fixture.statistics.coalesced == 1)
        let second = try await fixture.nextCall()
        try #require(fixture.transport.callCount == 2)
        // After a removal, they share no download that started before it.
        await fixture.coordinator.retire(ResourceKey(retrying))
        let late = fixture.download(retrying)
        let third = try await fixture.nextCall()
        for call in [first, second, third] { fixture.complete(call) }
        for caller in [plain, late] + callers { _ = try await caller.value }
    }

    @Test func failure_appliesOnlyToTheSameResource() async throws {
        let fixture = makeFixture(.status(404))
        try await expect404(fixture)
        try await expect404(fixture, .test("b.png"))
        try await expect404(fixture, .test { $0.headers = ["Authorization": "Bearer 1"] })
        #expect(fixture.transport.callCount == 3)
        // A fragment is never sent.
        try await expect404(fixture, .test("a.png#part"))
        #expect(fixture.transport.callCount == 3)
    }

    /// Two URLs with one key, as signed ones have: the failure of one says nothing of the other.
    @Test(arguments: [nil, "a"])
    func failure_appliesOnlyToTheSameURL(cacheKey: String?) async throws {
        let fixture = CoordinatorFixture(ScriptedDataLoader { _ in .status(404) }) {
            $0.failureLifetimes = FailureLifetimes()
            $0.cacheKeys = .droppingQueryItems(["sig"])
        }
        func request(_ path: String) throws -> ImageRequest {
            let url = try URL.test(path)
            return cacheKey.map { ImageRequest(url: url, cacheKey: $0) } ?? ImageRequest(url: url)
        }
        for path in ["a.png?sig=1", "a.png?sig=1", "a.png?sig=1#part"] { try await expect404(fixture, request(path)) }
        #expect(fixture.transport.callCount == 1)
        for _ in 0..<2 { try await expect404(fixture, request("a.png?sig=2")) }
        #expect(fixture.transport.callCount == 2)
        // It is forgotten by its key.
        let other = try request("a.png?sig=3")
        await fixture.coordinator.forgetFailure(of: other)
        for _ in 0..<2 { try await expect404(fixture, request("a.png?sig=2")) }
        #expect(fixture.transport.callCount == 3)
        await fixture.coordinator.retire(ResourceKey(other, in: fixture.coordinator.scope))
        for _ in 0..<2 { try await expect404(fixture, request("a.png?sig=2")) }
        #expect(fixture.transport.callCount == 4)
    }

    @Test func unusableBody_appliesOnlyToTheSameURL() async throws {
        let fixture = makeFixture(.bytes(Data("no image".utf8)))
        let (first, second) = (
            ImageRequest(url: try .test("a.png?sig=1"), cacheKey: "a"),
            ImageRequest(url: try .test("a.png?sig=2"), cacheKey: "a")
        )
        let error = ImageLoaderError.notAnImage(found: "text")
        // A load of the second URL may have shared the download.
        await fixture.coordinator.recordFailure(error, of: second, try await fixture.download(first).value)
        await #expect(throws: error) { try await fixture.download(first).value }
        _ = try await fixture.download(second).value
        #expect(fixture.transport.callCount == 2)
    }

    @Test func success_forgetsTheFailure() async throws {
        let fixture = makeFixture(.status(404), .bytes(Data([1])), .bytes(Data([2])))
        try await expect404(fixture)
        #expect(try await fixture.download(.test { $0.retriesFailed = true }).value.body == Data([1]))
        #expect(try await fixture.download().value.body == Data([2]))
    }

    @Test func laterFailure_replacesTheEarlierOne() async throws {
        let fixture = makeFixture(.status(404), .status(500), .bytes(Data([1])))
        try await expect404(fixture)
        await #expect(throws: ImageLoaderError.badStatus(500)) {
            try await fixture.download(.test { $0.retriesFailed = true }).value
        }
        _ = try await fixture.download().value
        #expect(fixture.transport.callCount == 3)
    }

    @Test func transientFailure_isNotRemembered() async throws {
        for answer in [
            ScriptedDataLoader.Answer.failure(.connectionFailed(.hostNotFound, detail: "")), .status(500), .status(401),
            .failure(.timedOut(.idle)), .failure(.malformedResponse("")),
        ] {
            let fixture = makeFixture(answer)
            _ = await fixture.download(try .test()).result
            _ = await fixture.download(try .test()).result
            #expect(fixture.transport.callCount == 2)
        }
    }

    @Test func retiring_forgetsOneOrAllFailures() async throws {
        let fixture = makeFixture(.status(404))
        try await expect404(fixture)
        try await expect404(fixture, .test("b.png"))
        await fixture.coordinator.retire(ResourceKey(try .test()))
        try await expect404(fixture)
        try await expect404(fixture, .test("b.png"))
        #expect(fixture.transport.callCount == 3)
        await fixture.coordinator.retireAll()
        try await expect404(fixture)
        try await expect404(fixture, .test("b.png"))
        #expect(fixture.transport.callCount == 5)
    }

    @Test func failureOfARetiredDownload_isNotRemembered() async throws {
        let fixture = CoordinatorFixture { $0.failureLifetimes = FailureLifetimes() }
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        await fixture.coordinator.retire(ResourceKey(try .test()))
        call.respond(status: 404)
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await first.value }
        let second = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await second.value
    }

    @Test func failureOfARemovedBody_isNotRemembered() async throws {
        let fixture = makeFixture(.bytes(Data("no image".utf8)))
        let request = try ImageRequest.test()
        let early = try await fixture.download(request).value
        await fixture.coordinator.recordFailure(.notAnImage(found: "text"), of: request, early)
        await #expect(throws: ImageLoaderError.notAnImage(found: "text")) { try await fixture.download(request).value }
        await fixture.coordinator.retire(ResourceKey(request))
        await fixture.coordinator.recordFailure(.notAnImage(found: "text"), of: request, early)
        _ = try await fixture.download(request).value
        #expect(fixture.transport.callCount == 2)
    }

    @Test func removal_lastsForCallersOfADownloadThatBeganBefore() async throws {
        let fixture = CoordinatorFixture()
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        for name in ["other.png", "another.png"] { await fixture.coordinator.retire(ResourceKey(try .test(name))) }
        await fixture.coordinator.retire(ResourceKey(try .test()))
        // It doesn't share the download that began before.
        let second = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        fixture.complete(call)
        _ = try await (first.value, second.value)
    }
}
