import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The program's own hook, which neither holds nor loses a slot.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorPrepareTests {
    private struct Refusal: Error, Equatable {}

    /// The paths that the hooks were called with, and the signal that lets the hooks continue.
    private let entered = Recorder<String>()
    private let opened = Recorder<Void>()

    private func makeFixture(
        width: Int = 6, retries: Bool = false, _ hook: @escaping @Sendable (inout DataRequest) async throws -> Void
    ) -> CoordinatorFixture {
        CoordinatorFixture {
            $0.maximumConcurrentDownloads = width
            if retries { $0.retry = .atOnce() }
            $0.prepare = RequestPreparation(id: "test") { [entered] request in
                entered.record(request.url.path)
                try await hook(&request)
            }
        }
    }

    private func untilEntered(_ count: Int) async { await entered.wait { $0.count >= count } }

    @Test func addedHeader_isSent() async throws {
        let fixture = makeFixture { $0.headers["X-Token"] = "abc" }
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.headers["X-Token"] == "abc")
        fixture.complete(call)
        _ = try await caller.value
    }

    @Test func throwingHook_endsTheDownload_andNothingIsSent() async throws {
        let fixture = makeFixture(width: 1) { _ in throw Refusal() }
        for _ in 0..<3 {
            await #expect(throws: ImageLoaderError.prepareFailed(UnderlyingError(Refusal()))) {
                try await fixture.download().value
            }
        }
        #expect(fixture.transport.callCount == 0)
        let statistics = await fixture.statistics
        #expect(statistics.failed == 3)
        #expect(statistics.started == 0)
        #expect(statistics.running == 0)
    }

    @Test func loaderErrorFromTheHook_isThrownUnchanged() async throws {
        let fixture = makeFixture { _ in throw ImageLoaderError.unsupportedConfiguration("no token") }
        await #expect(throws: ImageLoaderError.unsupportedConfiguration("no token")) {
            try await fixture.download().value
        }
    }

    @Test func callerCancelledInTheHook_returnsAtOnce_andNothingIsSent() async throws {
        let fixture = makeFixture(width: 1) { [opened] request in
            if request.url.path == "/slow.png" { await opened.wait { !$0.isEmpty } }
        }
        let caller = try fixture.download("slow.png")
        await untilEntered(1)
        caller.cancel()
        // The hook hasn't noticed and is still running.
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        opened.record(())
        await fixture.untilEnded(1)
        #expect(fixture.transport.callCount == 0)
        var statistics = await fixture.statistics
        #expect(statistics.running == 0)
        #expect(statistics.queued == 0)
        #expect(statistics.cancelled == 1)
        let next = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await next.value
        statistics = await fixture.statistics
        #expect(statistics.running == 0)
        #expect(statistics.started == 1)
    }

    @Test func hookError_afterTheLastCallerLeft_isNoFailure() async throws {
        let fixture = makeFixture { [opened] _ in
            await opened.wait { !$0.isEmpty }
            throw Refusal()
        }
        let caller = try fixture.download()
        await untilEntered(1)
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        opened.record(())
        await fixture.until { $0.cancelled == 1 }
        let statistics = await fixture.statistics
        #expect(statistics.cancelled == 1)
        #expect(statistics.failed == 0)
    }

    @Test func callerAfterAnAbandonedHook_startsItsOwnDownload() async throws {
        let fixture = makeFixture { [opened] _ in await opened.wait { !$0.isEmpty } }
        let first = try fixture.download()
        await untilEntered(1)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        let second = try fixture.download()
        await untilEntered(2)
        opened.record(())
        fixture.complete(try await fixture.nextCall())
        #expect(try await second.value.body == fixture.body)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func hook_runsBeforeASlotIsFree() async throws {
        let fixture = makeFixture(width: 1) { _ in }
        let first = try fixture.download("first.png")
        let call = try await fixture.nextCall()
        let second = try await fixture.queue("second.png")
        #expect(entered.values == ["/first.png", "/second.png"])
        #expect(fixture.transport.callCount == 1)
        fixture.complete(call)
        fixture.complete(try await fixture.nextCall())
        _ = (try await first.value, try await second.value)
    }

    @Test func slowHook_holdsNoSlot() async throws {
        let fixture = makeFixture(width: 1) { [opened] request in
            if request.url.path == "/slow.png" { await opened.wait { !$0.isEmpty } }
        }
        let slow = try fixture.download("slow.png")
        await untilEntered(1)
        let quick = try fixture.download("quick.png")
        fixture.complete(try await fixture.nextCall())
        _ = try await quick.value
        opened.record(())
        fixture.complete(try await fixture.nextCall())
        _ = try await slow.value
    }

    @Test func hook_isCalledAgain_forARetry_withTheOriginalRequest() async throws {
        let fixture = makeFixture(retries: true) { [entered] request in
            request.headers["X-Token"] = (request.headers["X-Token"] ?? "") + "\(entered.values.count)"
        }
        let caller = try fixture.download()
        let first = try await fixture.nextCall()
        #expect(first.request.headers["X-Token"] == "1")
        first.respond(status: 503)
        let second = try await fixture.nextCall()
        #expect(second.request.headers["X-Token"] == "2")
        fixture.complete(second)
        _ = try await caller.value
        #expect(entered.values.count == 2)
    }

    @Test func sharingCallers_causeOneHookCall() async throws {
        let fixture = makeFixture { [opened] _ in await opened.wait { !$0.isEmpty } }
        let first = try fixture.download()
        await untilEntered(1)
        let second = try fixture.download()
        await fixture.until { $0.coalesced == 1 }
        opened.record(())
        fixture.complete(try await fixture.nextCall())
        _ = (try await first.value, try await second.value)
        #expect(entered.values.count == 1)
    }

    @Test func preparedRequest_isValidated() async throws {
        let cases: [(ImageLoaderError, @Sendable (inout DataRequest) throws -> Void)] = [
            (.invalidHeader(name: "X-A"), { $0.headers["X-A"] = "a\r\nX-B: b" }),
            (.invalidHeader(name: "X A"), { $0.headers["X A"] = "a" }),
            (.unsupportedScheme("ftp"), { $0.url = try #require(URL(string: "ftp://host.test/a.png")) }),
            (
                .invalidURL("http:///a.png", reason: "it has no host"),
                { $0.url = try #require(URL(string: "http:///a.png")) }
            ),
        ]
        for (error, hook) in cases {
            let fixture = makeFixture { try hook(&$0) }
            await #expect(throws: error) { try await fixture.download().value }
            #expect(fixture.transport.callCount == 0)
        }
    }

    @Test func methodSetByTheHook_decidesWhetherItIsRetried() async throws {
        for (method, repeats) in [(HTTPMethod.post, false), (.get, true)] {
            let fixture = makeFixture(retries: true) { $0.method = method }
            let caller = try fixture.download()
            let call = try await fixture.nextCall()
            #expect(call.request.method == method)
            call.fail(.badStatus(503))
            if repeats {
                fixture.complete(try await fixture.nextCall())
                _ = try await caller.value
            } else {
                await #expect(throws: ImageLoaderError.badStatus(503)) { try await caller.value }
                #expect(fixture.transport.callCount == 1)
            }
        }
    }

    @Test func rangeSetByTheHook_isAccepted() async throws {
        let fixture = makeFixture { $0.headers["Range"] = "bytes=0-3" }
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        call.respond(status: 206, headers: ["Content-Range": "bytes 0-3/10"], expectedBytes: 4)
        call.send(Data([1, 2, 3, 4]))
        call.finish()
        #expect(try await caller.value.body == Data([1, 2, 3, 4]))
    }

    @Test func callerCancelledInLine_afterTheHook_leavesTheQueue() async throws {
        let fixture = makeFixture(width: 1) { _ in }
        let first = try fixture.download("first.png")
        let call = try await fixture.nextCall()
        let second = try await fixture.queue("second.png")
        second.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await second.value }
        await fixture.untilEnded(1)
        #expect(await fixture.statistics.queued == 0)
        fixture.complete(call)
        _ = try await first.value
        let third = try fixture.download("third.png")
        let next = try await fixture.nextCall()
        #expect(next.request.url.path == "/third.png")
        fixture.complete(next)
        _ = try await third.value
        #expect(await fixture.statistics.running == 0)
    }
}
