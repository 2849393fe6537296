import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct CoordinatorRetryTests {
    @Test func transientStatus_isRetried_onlyAfterItsDelay() async throws {
        let fixture = CoordinatorFixture {
            $0.retry = RetryPolicy()
            $0.retry.seed = 7
        }
        let caller = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503)
        let deadline = try await fixture.clock.nextSleeper()
        let retry = try #require(fixture.retries.first)
        #expect(retry.attempt == 1)
        #expect(retry.error == .badStatus(503))
        #expect(retry.delay == deadline.offset)
        #expect(retry.delay > .zero && retry.delay <= .milliseconds(500))
        fixture.clock.advance(by: retry.delay - .nanoseconds(1))
        #expect(fixture.clock.sleeperCount == 1)
        #expect(fixture.transport.callCount == 1)
        fixture.clock.advance(by: .nanoseconds(1))
        fixture.complete(try await fixture.nextCall())
        #expect(try await caller.value.body == fixture.body)
        let statistics = await fixture.statistics
        #expect(statistics.started == 2)
        #expect(statistics.retried == 1)
        #expect(statistics.succeeded == 1)
        #expect(statistics.failed == 0)
        #expect(fixture.retries.count == 1)
    }

    @Test(arguments: ["5", "Sun, 06 Nov 1994 08:49:42 GMT"])
    func retryAfter_isRespected(_ value: String) async throws {
        let fixture = CoordinatorFixture { $0.retry = .atOnce() }
        let caller = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503, headers: ["Retry-After": value])
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(5))
        #expect(fixture.transport.callCount == 1)
        fixture.clock.advance(by: .seconds(5))
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
    }

    @Test(arguments: ["31", "Sun, 06 Nov 1994 08:50:08 GMT"])
    func longRetryAfter_failsAtOnce(_ value: String) async throws {
        let fixture = CoordinatorFixture(
            ScriptedDataLoader { _ in .status(503, headers: ["Retry-After": value]) }
        ) { $0.retry = .atOnce() }
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await fixture.download().value }
        #expect(fixture.transport.callCount == 1)
        #expect(fixture.retries.isEmpty)
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func waitingRetry_holdsNoSlot() async throws {
        let fixture = CoordinatorFixture {
            $0.retry = .atOnce()
            $0.maximumConcurrentDownloads = 1
        }
        let first = try fixture.download("first.png")
        (try await fixture.nextCall()).respond(status: 503, headers: ["Retry-After": "9"])
        _ = try await fixture.clock.nextSleeper()
        #expect(await fixture.statistics.running == 0)
        let second = try fixture.download("second.png")
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/second.png")
        // It takes no slot from a running download either.
        fixture.clock.advance(by: .seconds(9))
        await fixture.until { $0.queued == 1 }
        #expect(fixture.transport.callCount == 2)
        fixture.complete(call)
        _ = try await second.value
        fixture.complete(try await fixture.nextCall())
        _ = try await first.value
        #expect(await fixture.statistics.running == 0)
    }

    @Test func delay_endsWithTheLastCaller_andNothingMoreIsSent() async throws {
        let fixture = CoordinatorFixture { $0.retry = .atOnce() }
        let caller = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503, headers: ["Retry-After": "9"])
        _ = try await fixture.clock.nextSleeper()
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        // The clock has not moved.
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        #expect(await fixture.statistics.cancelled == 1)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func callerJoiningDuringTheDelay_sharesTheRetry() async throws {
        let fixture = CoordinatorFixture { $0.retry = .atOnce() }
        let first = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503, headers: ["Retry-After": "9"])
        _ = try await fixture.clock.nextSleeper()
        let second = try fixture.download()
        await fixture.until { $0.coalesced == 1 }
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        fixture.clock.advance(by: .seconds(9))
        fixture.complete(try await fixture.nextCall())
        #expect(try await second.value.body == fixture.body)
        #expect(fixture.transport.callCount == 2)
    }

    @Test func permanentFailuresAndPosts_areNotRetried() async throws {
        for (method, answer, error) in [
            (HTTPMethod.post, ScriptedDataLoader.Answer.status(503), ImageLoaderError.badStatus(503)),
            (.get, .status(404), .badStatus(404)),
            (.get, .failure(.connectionFailed(.refused, detail: "")), .connectionFailed(.refused, detail: "")),
            (.get, .response(status: 200), .emptyBody),
        ] {
            let fixture = CoordinatorFixture(ScriptedDataLoader { _ in answer }) { $0.retry = .atOnce() }
            let request = try ImageRequest.test { $0.method = method }
            await #expect(throws: error) { try await fixture.download(request).value }
            #expect(fixture.transport.callCount == 1)
            #expect(await fixture.statistics.retried == 0)
        }
    }

    @Test func lostConnections_truncatedBodies_andTimeouts_areRetried() async throws {
        for (answer, error) in [
            (.failure(.connectionFailed(.lost, detail: "")), .connectionFailed(.lost, detail: "")),
            (.failure(.timedOut(.idle)), .timedOut(.idle)),
            (
                .response(status: 200, headers: [:], body: Data([1]), expectedBytes: 2),
                .truncated(received: 1, expected: 2)
            ),
        ] as [(ScriptedDataLoader.Answer, ImageLoaderError)] {
            let fixture = CoordinatorFixture(ScriptedDataLoader { _ in answer }) { $0.retry = .atOnce() }
            await #expect(throws: error) { try await fixture.download().value }
            #expect(fixture.transport.callCount == 3)
        }
    }

    @Test func attempts_areLimited_andTheLastFailureIsThrown() async throws {
        let fixture = CoordinatorFixture(ScriptedDataLoader { _ in .status(503) }) { $0.retry = .atOnce(attempts: 4) }
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await fixture.download().value }
        #expect(fixture.transport.callCount == 4)
        #expect(fixture.retries.map(\.attempt) == [1, 2, 3])
        let statistics = await fixture.statistics
        #expect(statistics.started == 4)
        #expect(statistics.retried == 3)
        #expect(statistics.failed == 1)
    }

    @Test func retriesOfAHost_areLimitedByItsBudget() async throws {
        let fixture = CoordinatorFixture(
            ScriptedDataLoader { request in request.url.path.hasPrefix("/good") ? .bytes(Data([1])) : .status(503) }
        ) {
            $0.retry = .atOnce(attempts: 2)
            $0.retry.hostBudget = 2
        }
        for number in 0..<5 { _ = await fixture.download(try .test("bad\(number).png")).result }
        #expect(fixture.transport.callCount == 5 + 2)
        // Each host has its own budget.
        let other = ImageRequest(url: try #require(URL(string: "http://other.test/bad.png")))
        _ = await fixture.download(other).result
        #expect(fixture.transport.callCount == 7 + 2)
        // Ten successes earn one retry.
        for number in 0..<10 { _ = try await fixture.download("good\(number).png").value }
        _ = await fixture.download(try .test("bad6.png")).result
        #expect(fixture.transport.callCount == 9 + 10 + 2)
    }

    @Test func failureAfterTheLastCallerLeft_isNotRetried() async throws {
        let loader = DeafDataLoader(error: .timedOut(.idle))
        let fixture = CoordinatorFixture(loader: loader) { $0.retry = .atOnce() }
        let caller = try fixture.download()
        await loader.started.wait { $0.count == 1 }
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        loader.gate.record(())
        await fixture.untilEnded(1)
        #expect(fixture.retries.isEmpty)
        #expect(await fixture.statistics.retried == 0)
        #expect(loader.started.values.count == 1)
    }
}
