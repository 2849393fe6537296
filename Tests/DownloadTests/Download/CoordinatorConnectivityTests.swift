import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Downloads that wait for a network.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorConnectivityTests {
    private let network = ScriptedNetwork()

    private func fixture(
        _ network: ScriptedNetwork? = nil, wait: Duration = .seconds(60), width: Int = 6,
        _ configure: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> CoordinatorFixture {
        CoordinatorFixture(width: width, network: (network ?? self.network).monitor) {
            $0.connectivityWait = wait
            configure(&$0)
        }
    }

    /// Waits until so many downloads wait for the network.
    private func untilOffline(_ fixture: CoordinatorFixture, _ count: Int = 1) async {
        await fixture.events.wait { events in
            events.count { if case .began(.offline) = $0 { true } else { false } } >= count
        }
    }

    private func waits(_ fixture: CoordinatorFixture) -> [StageOutcome] {
        fixture.events.values.compactMap { if case .ended(.offline, let outcome) = $0 { outcome } else { nil } }
    }

    @Test func download_waits_andIsTriedAgain() async throws {
        let fixture = fixture()
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        try await fixture.clock.sleeper(until: .init(offset: .seconds(60)))
        fixture.clock.advance(by: .seconds(59))
        #expect(fixture.transport.callCount == 1)
        network.report(true)
        fixture.complete(try await fixture.nextCall())
        #expect(try await caller.value.body == fixture.body)
        #expect(waits(fixture) == [StageOutcome(duration: .seconds(59))])
        #expect(fixture.retries.isEmpty)
        #expect(network.watches.values == [true, false])
        #expect(fixture.clock.sleeperCount == 0)
        let statistics = await fixture.statistics
        #expect(statistics.started == 2 && statistics.succeeded == 1 && statistics.failed == 0)
    }

    @Test func download_fails_withItsOwnError_whenTheTimeIsOver() async throws {
        let fixture = fixture { $0.retry = .atOnce() }
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.timedOut(.idle))
        try await fixture.clock.sleeper(until: .init(offset: .seconds(60)))
        fixture.clock.advance(by: .seconds(60))
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await caller.value }
        #expect(waits(fixture) == [StageOutcome(duration: .seconds(60), error: .timedOut(.idle))])
        #expect(fixture.transport.callCount == 1)
        #expect(network.watches.values == [true, false])
    }

    @Test func waitingDownload_holdsNoSlot() async throws {
        let fixture = fixture(width: 1)
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await untilOffline(fixture)
        #expect(await fixture.statistics.running == 0)
        let other = fixture.download(try .test("b.png") { $0.connectivityWait = .zero })
        fixture.complete(try await fixture.nextCall())
        _ = try await other.value
        network.report(true)
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        #expect(await fixture.statistics.running == 0)
    }

    @Test func cancelledDownload_resumesImmediately() async throws {
        let fixture = fixture()
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        try await fixture.clock.sleeper(until: .init(offset: .seconds(60)))
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        #expect(waits(fixture).map(\.error) == [.cancelled])
        #expect(network.watches.values == [true, false])
        #expect(fixture.transport.callCount == 1)
        #expect(await fixture.statistics.cancelled == 1)
    }

    /// The last caller leaves before the network's state is known.
    @Test func cancelledDownload_beforeTheFirstReport_endsTheWatch() async throws {
        let network = ScriptedNetwork(isConnected: nil)
        let fixture = fixture(network)
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await network.watches.wait { $0 == [true] }
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        await network.watches.wait { $0 == [true, false] }
        #expect(waits(fixture) == [])
    }

    @Test func failure_withANetwork_isFinal() async throws {
        let network = ScriptedNetwork(isConnected: true)
        let fixture = fixture(network)
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await #expect(throws: ImageLoaderError.offline) { try await caller.value }
        #expect(waits(fixture) == [] && fixture.clock.sleeperCount == 0)
        #expect(network.watches.values == [true, false])
    }

    @Test func failure_isFinal_whereNothingCanBeWatched() async throws {
        let fixture = fixture(ScriptedNetwork(canBeWatched: false))
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await #expect(throws: ImageLoaderError.offline) { try await caller.value }
    }

    @Test func otherFailures_areFinal() async throws {
        let fixture = fixture()
        for error in [ImageLoaderError.badStatus(503), .connectionFailed(.insecure, detail: "")] {
            let caller = try fixture.download()
            (try await fixture.nextCall()).fail(error)
            await #expect(throws: error) { try await caller.value }
        }
        let post = fixture.download(try .test { $0.method = .post })
        (try await fixture.nextCall()).fail(.connectionFailed(.lost, detail: ""))
        await #expect(throws: ImageLoaderError.connectionFailed(.lost, detail: "")) { try await post.value }
        #expect(network.watches.values == [])
    }

    @Test(arguments: [nil, Duration.zero]) func withoutALimit_nothingIsWatched(_ ofRequest: Duration?) async throws {
        let fixture = fixture(wait: ofRequest == nil ? .zero : .seconds(60))
        let caller = fixture.download(try .test { $0.connectivityWait = ofRequest })
        (try await fixture.nextCall()).fail(.offline)
        await #expect(throws: ImageLoaderError.offline) { try await caller.value }
        #expect(network.watches.values == [])
    }

    @Test(arguments: ["localhost", "a.localhost", "127.0.0.1", "[::1]"])
    func hostsOnThisMachine_areNotWaitedFor(_ host: String) async throws {
        let fixture = fixture()
        let other = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await untilOffline(fixture)
        // Neither before an attempt nor after it.
        let caller = fixture.download(try .at("http://\(host):1/a.png"))
        (try await fixture.nextCall()).fail(.connectionFailed(.refused, detail: ""))
        await #expect(throws: ImageLoaderError.connectionFailed(.refused, detail: "")) { try await caller.value }
        other.cancel()
        _ = await other.result
    }

    // MARK: Known to be offline

    @Test func furtherDownloads_waitWithoutAnAttempt() async throws {
        let fixture = fixture()
        let first = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await untilOffline(fixture)
        let second = try fixture.download("b.png")
        await untilOffline(fixture, 2)
        #expect(fixture.transport.callCount == 1)
        network.report(true)
        for _ in 0..<2 { fixture.complete(try await fixture.nextCall()) }
        _ = try await (first.value, second.value)
        #expect(fixture.transport.callCount == 3)
        #expect(network.watches.values == [true, false])
    }

    @Test func attempt_isMade_whenTheTimeIsOver() async throws {
        let fixture = fixture()
        let first = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        await untilOffline(fixture)
        let second = fixture.download(try .test("b.png") { $0.connectivityWait = .seconds(5) })
        try await fixture.clock.sleeper(until: .init(offset: .seconds(5)))
        fixture.clock.advance(by: .seconds(5))
        (try await fixture.nextCall()).fail(.connectionFailed(.refused, detail: "b"))
        await #expect(throws: ImageLoaderError.connectionFailed(.refused, detail: "b")) { try await second.value }
        first.cancel()
        _ = await first.result
    }

    @Test func resumedDownloads_takeTheirTurns() async throws {
        let fixture = fixture(width: 2)
        let first = try fixture.download("0.png")
        (try await fixture.nextCall()).fail(.offline)
        await untilOffline(fixture)
        let others = try (1..<10).map { try fixture.download("\($0).png") }
        await untilOffline(fixture, 10)
        network.report(true)
        var calls = [try await fixture.nextCall(), try await fixture.nextCall()]
        await fixture.until { $0.queued == 8 }
        #expect(await fixture.statistics.running == 2)
        #expect(fixture.transport.callCount == 3)
        for _ in 0..<8 {
            fixture.complete(calls.removeFirst())
            calls.append(try await fixture.nextCall())
        }
        for call in calls { fixture.complete(call) }
        for caller in [first] + others { _ = try await caller.value }
    }

    // MARK: Networks that come and go

    @Test func waits_addUp() async throws {
        let fixture = fixture()
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        try await fixture.clock.sleeper(until: .init(offset: .seconds(60)))
        fixture.clock.advance(by: .seconds(40))
        network.report(true)
        let call = try await fixture.nextCall()
        network.report(false)
        // The time of an attempt doesn't count.
        fixture.clock.advance(by: .seconds(100))
        call.fail(.connectionFailed(.lost, detail: ""))
        try await fixture.clock.sleeper(until: .init(offset: .seconds(160)))
        fixture.clock.advance(by: .seconds(20))
        await #expect(throws: ImageLoaderError.connectionFailed(.lost, detail: "")) { try await caller.value }
        #expect(waits(fixture).map(\.duration) == [.seconds(40), .seconds(20)])
    }

    @Test func serverThatIsNotReachedYet_isTriedAgain() async throws {
        let fixture = fixture()
        let caller = try fixture.download()
        (try await fixture.nextCall()).fail(.offline)
        try await fixture.clock.sleeper(until: .init(offset: .seconds(60)))
        network.report(true)
        var now = Duration.zero
        for delay in [1, 2, 4] {
            (try await fixture.nextCall()).fail(.offline)
            now += .seconds(delay)
            try await fixture.clock.sleeper(until: .init(offset: now))
            fixture.clock.advance(to: .init(offset: now))
        }
        (try await fixture.nextCall()).fail(.offline)
        await #expect(throws: ImageLoaderError.offline) { try await caller.value }
        #expect(fixture.retries.map(\.attempt) == [2, 3, 4])
        #expect(fixture.retries.map(\.delay) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(await fixture.statistics.retried == 3)
        #expect(waits(fixture).count == 1)
    }

    @Test func partialBody_isContinued() async throws {
        let fixture = fixture()
        let running = try await fixture.begin(try .test(), bytes: 40)
        running.call.fail(.connectionFailed(.lost, detail: ""))
        await untilOffline(fixture)
        network.report(true)
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == "bytes=40-")
        fixture.goOn(call, from: 40)
        #expect(try await running.caller.value.body == fixture.body)
    }
}
