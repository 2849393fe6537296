import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The time limit of a whole transfer.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorTimeoutTests {
    private let fixture = CoordinatorFixture {
        $0.totalTimeout = .seconds(10)
        $0.retry = .atOnce(attempts: 2)
    }

    /// Advances the clock until a running transfer exceeds its limit.
    private func runOut() async throws {
        let deadline = ManualClock.Instant(offset: fixture.clock.now.offset + .seconds(10))
        try await fixture.clock.sleeper(until: deadline)
        fixture.clock.advance(to: deadline)
    }

    @Test func eachAttempt_hasItsOwnTimeout() async throws {
        let caller = try fixture.download()
        for _ in 0..<2 {
            let call = try await fixture.nextCall()
            try await runOut()
            try await call.cancelled()
        }
        await #expect(throws: ImageLoaderError.timedOut(.total)) { try await caller.value }
        #expect(fixture.clock.sleeperCount == 0)
        #expect(await fixture.statistics.running == 0)
    }

    @Test func startingOver_sharesTheAttemptsTimeout() async throws {
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 40)
        call.fail(.timedOut(.idle))
        let rest = try await fixture.nextCall()
        #expect(rest.request.headers["Range"] == "bytes=40-")
        try await fixture.clock.sleeper(until: .init(offset: .seconds(10)))
        fixture.clock.advance(by: .seconds(6))
        rest.respond(status: 416)
        let whole = try await fixture.nextCall()
        fixture.clock.advance(by: .seconds(4) - .nanoseconds(1))
        #expect(whole.end == nil)
        #expect(fixture.clock.sleeperCount == 1)
        fixture.clock.advance(by: .nanoseconds(1))
        await #expect(throws: ImageLoaderError.timedOut(.total)) { try await caller.value }
        #expect(whole.isCancelled)
    }

    @Test func timeInLine_isNotCounted() async throws {
        let fixture = CoordinatorFixture {
            $0.totalTimeout = .seconds(10)
            $0.maximumConcurrentDownloads = 1
        }
        await fixture.coordinator.pause()
        let caller = try await fixture.queue("a.png")
        fixture.clock.advance(by: .seconds(100))
        await fixture.coordinator.resume()
        fixture.complete(try await fixture.nextCall())
        #expect(try await caller.value.body == fixture.body)
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func changedTimeouts_applyToTheNextAttempt() async throws {
        let fixture = CoordinatorFixture()
        try await fixture.coordinator.setTimeouts(idle: .seconds(3), total: .seconds(10))
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        #expect(call.request.idleTimeout == .seconds(3))
        try await fixture.clock.sleeper(until: .init(offset: .seconds(10)))
        fixture.clock.advance(by: .seconds(10))
        await #expect(throws: ImageLoaderError.timedOut(.total)) { try await caller.value }
        for (idle, total) in [(Duration.zero, Duration?.none), (.seconds(1), .zero)] {
            await #expect(throws: ImageLoaderError.self) {
                try await fixture.coordinator.setTimeouts(idle: idle, total: total)
            }
        }
    }

    /// The transport is cancelled, and doesn't know why.
    @Test func connecting_endsWithTheTimeout() async throws {
        let fixture = CoordinatorFixture(loader: ConnectingDataLoader()) { $0.totalTimeout = .seconds(10) }
        let caller = try fixture.download()
        try await fixture.clock.sleeper(until: .init(offset: .seconds(10)))
        fixture.clock.advance(by: .seconds(10))
        await #expect(throws: ImageLoaderError.timedOut(.total)) { try await caller.value }
        let connects = fixture.events.values.compactMap { event -> StageOutcome? in
            if case .ended(.connect, let outcome) = event { outcome } else { nil }
        }
        #expect(connects == [StageOutcome(duration: .seconds(9), error: .timedOut(.total))])
    }
}

/// A transport that connects until it is cancelled.
private struct ConnectingDataLoader: DataLoading {
    private let clock = ManualClock()

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        do {
            try await clock.sleep(for: .seconds(3_600))
        } catch {
            sink.failedToConnect(after: .seconds(9))
            throw .cancelled
        }
    }
}
