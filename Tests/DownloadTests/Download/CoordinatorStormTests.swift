import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Thousands of downloads with random interference: every slot is returned, and every caller is resumed.
@Suite(.timeLimit(.minutes(2))) struct CoordinatorStormTests {
    private static let width = 4
    private static let callers = Storm.loads > 2_000 ? 2_000 : 800

    /// Counts the events.
    private struct Tally: Equatable {
        var started = 0
        var retried = 0
        var ended = 0
        var whole = 0

        init(_ events: [LoadEvent.Kind]) {
            for event in events {
                switch event {
                case .began(.download): started += 1
                case .retried: retried += 1
                case .ended(.download, let end):
                    ended += 1
                    if end.error == nil { whole += 1 }
                default: break
                }
            }
        }
    }

    /// Answers at random, and leaves some calls to the test.
    private static func makeTransport(seed: UInt64) -> ScriptedDataLoader {
        let dice = Mutex(SeededRandom(seed: seed))
        return ScriptedDataLoader { request in
            if request.url.path == "/last" { return .manual }
            return switch dice.withLock({ Int.random(in: 0..<12, using: &$0) }) {
            case 0..<4: .bytes(Data([1, 2, 3]))
            case 4: .status(404)
            case 5, 6: .status(503)
            case 7: .failure(.connectionFailed(.lost, detail: ""))
            default: .manual
            }
        }
    }

    private static func makeFixture(seed: UInt64, hasHook: Bool) -> CoordinatorFixture {
        let dice = Mutex(SeededRandom(seed: seed + 1))
        return CoordinatorFixture(makeTransport(seed: seed)) {
            $0.maximumConcurrentDownloads = width
            $0.maximumConcurrentDownloadsPerHost = 3
            $0.retry = RetryPolicy()
            $0.retry.hostBudget = 1_000
            $0.startRate = StartRate(perSecond: 100, burst: 4)
            guard hasHook else { return }
            $0.prepare = RequestPreparation(id: "test") { request in
                if request.url.path == "/last" { return }
                let pips = dice.withLock { Int.random(in: 0..<20, using: &$0) }
                for _ in 0..<pips { await Task.yield() }
                if pips == 0 { throw ImageLoaderError.unsupportedConfiguration("the dice") }
            }
        }
    }

    @Test(arguments: [false, true])
    func everySlotIsFree_andTheCountsAgree_afterAStorm(_ hasHook: Bool) async throws {
        weak var coordinator: DownloadCoordinator?
        let events: Recorder<LoadEvent.Kind>
        let transport: ScriptedDataLoader
        do {
            let fixture = Self.makeFixture(seed: Fuzz.seed, hasHook: hasHook)
            (coordinator, events, transport) = (fixture.coordinator, fixture.events, fixture.transport)
            let outcomes = try await run(fixture)
            #expect(outcomes == Self.callers)
        }
        // Each flight retains the coordinator until it has ended.
        while coordinator != nil, !Task.isCancelled { await Task.yield() }
        let tally = Tally(events.values)
        #expect(tally.started == transport.callCount)
        // Each attempt has an end of its own, and a retry follows some of them.
        #expect(tally.started == tally.ended)
        #expect(tally.started >= tally.whole + tally.retried)
        #expect(tally.whole > 0 && tally.retried > 0 && tally.ended > tally.whole)
    }

    /// Starts all callers and interferes with them. Returns how many had an outcome.
    private func run(_ fixture: CoordinatorFixture) async throws -> Int {
        let (server, time) = (serve(fixture), passTime(fixture))
        var random = SeededRandom(seed: Fuzz.seed + 2)
        var callers: [(task: Task<Download, any Error>, control: LoadControl)] = []
        for number in 0..<Self.callers {
            let control = LoadControl(priority: .allCases.randomElement(using: &random) ?? .normal)
            let host = Int.random(in: 0..<3, using: &random)
            let url = try #require(URL(string: "http://host\(host).test/\(number / 40 + number % 7)"))
            callers.append((fixture.download(ImageRequest(url: url), control: control), control))
            let other = callers[Int.random(in: max(0, number - 50)...number, using: &random)]
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<14: other.task.cancel()
            case 14..<18: other.control.setPriority(.allCases.randomElement(using: &random) ?? .normal)
            case 18: await fixture.coordinator.pause()
            case 19, 20: await fixture.coordinator.resume()
            case 21: await fixture.coordinator.retire(ResourceKey(ImageRequest(url: url)))
            case 22: try await fixture.coordinator.setMaximumConcurrentDownloads([1, 4, nil][host], forHostOf: url)
            default: await Task.yield()
            }
        }
        await fixture.coordinator.resume()
        let outcomes = await count(callers.map(\.task))
        // Downloads without callers come to an end.
        await fixture.until { $0.running == 0 && $0.queued == 0 }
        #expect(await fixture.statistics.queuedByHost.isEmpty)
        server.cancel()
        _ = await server.result
        try await useEverySlot(fixture)
        time.cancel()
        await time.value
        return outcomes
    }

    private func count(_ callers: [Task<Download, any Error>]) async -> Int {
        var outcomes = 0
        for caller in callers {
            switch await caller.result {
            case .success(let download): must(download.body == Data([1, 2, 3]), "another body")
            case .failure(ImageLoaderError.cancelled), .failure(ImageLoaderError.badStatus),
                .failure(ImageLoaderError.connectionFailed(.lost, _)), .failure(ImageLoaderError.timedOut(.idle)),
                .failure(ImageLoaderError.unsupportedConfiguration):
                break
            case .failure(let error): Issue.record(error)
            }
            outcomes += 1
        }
        return outcomes
    }

    /// Runs as many downloads at once as there are slots.
    private func useEverySlot(_ fixture: CoordinatorFixture) async throws {
        let callers = try (0..<Self.width).map { number in
            fixture.download(ImageRequest(url: try #require(URL(string: "http://last\(number).test/last"))))
        }
        await fixture.until { $0.running == Self.width }
        for caller in callers { caller.cancel() }
        for caller in callers { _ = await caller.result }
        await fixture.until { $0.running == 0 && $0.queued == 0 }
    }

    /// Answers the calls that are left to the test: some late, and some with a timeout.
    private func serve(_ fixture: CoordinatorFixture) -> Task<Void, any Error> {
        Task { [transport = fixture.transport] in
            var random = SeededRandom(seed: Fuzz.seed + 3)
            while true {
                let call = try await transport.nextCall()
                for _ in 0..<Int.random(in: 0..<10, using: &random) { await Task.yield() }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    call.fail(.timedOut(.idle))
                    continue
                }
                call.respond(expectedBytes: 3)
                call.send(Data([1, 2, 3]))
                call.finish()
            }
        }
    }

    private func passTime(_ fixture: CoordinatorFixture) -> Task<Void, Never> {
        Task { [clock = fixture.clock] in
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(20))
                await Task.yield()
            }
        }
    }
}
