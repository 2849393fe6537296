import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Downloads whose bodies together exceed the budget for received bytes.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorBudgetTests {
    private func makeFixture(
        limit: Int, width: Int = 12, _ configure: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> CoordinatorFixture {
        let clock = ManualClock()
        return CoordinatorFixture(clock: clock, width: width, hostWidth: width) {
            $0.bodyBudget = BodyBudget(byteLimit: limit, time: TimeSource(clock))
            configure(&$0)
        }
    }

    /// A download that has received its first bytes.
    private func begin(
        _ path: String, _ bytes: Int, _ fixture: CoordinatorFixture, priority: RequestPriority = .normal
    ) async throws -> CoordinatorFixture.Running {
        try await fixture.begin(.test(path) { $0.priority = priority }, bytes: bytes)
    }

    /// A download without a known length that has received more than the budget.
    private func beginLarge(_ path: String, _ fixture: CoordinatorFixture) async throws -> CoordinatorFixture.Running {
        let caller = try fixture.download(path)
        let call = try await fixture.nextCall()
        call.respond()
        call.send(Data(count: 20_000))
        try await call.delivered()
        return .init(caller: caller, call: call)
    }

    private func sendRest(_ call: ScriptedDataLoader.Call, from start: Int, _ fixture: CoordinatorFixture) {
        for start in stride(from: start, to: fixture.body.count, by: 10) { call.send(fixture.body[start..<start + 10]) }
        call.finish()
    }

    @Test func twelveBodies_ofASixthOfTheBudgetEach_allEnd() async throws {
        let fixture = makeFixture(limit: 600)
        let budget = fixture.coordinator.bodyBudget
        let highest = Recorder<Int>()
        var downloads: [CoordinatorFixture.Running] = []
        for number in 0..<12 { downloads.append(try await begin("\(number)", 50, fixture)) }
        #expect(budget.byteCount == 600)
        // All others than the first send before it does.
        for download in downloads.dropFirst() { sendRest(download.call, from: 50, fixture) }
        while downloads.dropFirst().contains(where: { !$0.call.isPaused }), !Task.isCancelled { await Task.yield() }
        #expect(downloads[0].call.isPaused == false)
        #expect(budget.byteCount <= 600 + 11 * 10)
        sendRest(downloads[0].call, from: 50, fixture)
        for download in downloads {
            let result = try await download.caller.value
            highest.record(budget.byteCount)
            #expect(result.body == fixture.body)
            result.share?.release()
        }
        // The most urgent body, and a chunk of each other.
        #expect(highest.values.allSatisfy { $0 <= 600 + 100 + 11 * 10 })
        #expect(budget.byteCount == 0)
        #expect(fixture.clock.sleeperCount <= 1)
    }

    @Test func silentBody_thatHoldsUpOthers_isDropped_andContinuedLater() async throws {
        let fixture = makeFixture(limit: 100) { $0.retry = .atOnce() }
        let silent = try await begin("silent", 60, fixture)
        let other = try await begin("other", 40, fixture)
        #expect(other.call.isPaused)
        sendRest(other.call, from: 40, fixture)
        try await fixture.clock.sleeper(until: .init(offset: .seconds(10)))
        fixture.clock.advance(by: .seconds(10))
        #expect(try await silent.call.ended() == .failed(.timedOut(.tooSlow)))
        let result = try await other.caller.value
        #expect(result.body == fixture.body)
        result.share?.release()
        let again = try await fixture.nextCall()
        #expect(again.request.headers["Range"] == "bytes=60-")
        fixture.goOn(again, from: 60)
        #expect(try await silent.caller.value.body == fixture.body)
        #expect(fixture.retries.map(\.error) == [.timedOut(.tooSlow)])
    }

    @Test func moreUrgentDownload_starts_andIsNotPaused() async throws {
        let fixture = makeFixture(limit: 100)
        let large = try await begin("large", 100, fixture)
        let equal = try await fixture.queue("equal")
        let urgent = try await begin("urgent", 50, fixture, priority: .veryHigh)
        #expect(!urgent.call.isPaused)
        // The others still wait.
        #expect(await fixture.statistics.queued == 1)
        #expect(fixture.transport.callCount == 2)
        sendRest(urgent.call, from: 50, fixture)
        try await urgent.caller.value.share?.release()
        large.call.finish()
        try await large.caller.value.share?.release()
        fixture.complete(try await fixture.nextCall())
        #expect(try await equal.value.body == fixture.body)
    }

    @Test func smallDownloadsAndReads_end_whileALargeBodyIsSilent() async throws {
        let fixture = makeFixture(limit: 12_800)
        let silent = try await beginLarge("silent", fixture)
        let other = try await beginLarge("other", fixture)
        while !other.call.isPaused, !Task.isCancelled { await Task.yield() }
        let small = try fixture.download("small")
        fixture.complete(try await fixture.nextCall())
        let result = try await small.value
        #expect(result.body == fixture.body)
        let read = try #require(await fixture.coordinator.bodyBudget.admit())
        read.add(1_000)
        #expect(!silent.call.isPaused && other.call.isPaused)
        result.share?.release()
        read.release()
        for running in [silent, other] {
            running.call.finish()
            try await running.caller.value.share?.release()
        }
        #expect(fixture.coordinator.bodyBudget.byteCount == 0)
    }

    /// Its bytes leave the memory, which makes room for the other one.
    @Test func transferThatTakesUpTheRoom_yieldsItsSlot_toAnotherHost() async throws {
        let fixture = makeFixture(limit: 60, width: 1)
        let slow = try await begin("slow", 60, fixture)
        let wanted = try await fixture.queue(.at("http://other.test/wanted"))
        #expect(!fixture.coordinator.bodyBudget.hasRoom)
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(60))
        fixture.clock.advance(by: .seconds(60))
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/wanted")
        fixture.complete(call)
        try await wanted.value.share?.release()
        let again = try await fixture.nextCall()
        #expect(again.request.headers["Range"] == "bytes=60-")
        fixture.goOn(again, from: 60)
        #expect(try await slow.caller.value.body == fixture.body)
    }

    @Test func pausedBody_becomesTheMostUrgent_withItsPriority() async throws {
        let fixture = makeFixture(limit: 100)
        let first = try await begin("first", 60, fixture)
        let control = LoadControl(priority: .normal)
        let caller = try fixture.download("second", control: control)
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 40)
        #expect(call.isPaused)
        control.setPriority(.high)
        while call.isPaused, !Task.isCancelled { await Task.yield() }
        sendRest(call, from: 40, fixture)
        try await caller.value.share?.release()
        sendRest(first.call, from: 60, fixture)
        _ = try await first.caller.value
    }

    // MARK: Time

    @Test func pause_doesNotCount_forTheTotalTimeout() async throws {
        let fixture = makeFixture(limit: 100) { $0.totalTimeout = .seconds(5) }
        let first = try await begin("first", 60, fixture)
        fixture.clock.advance(by: .seconds(3))
        let second = try await begin("second", 40, fixture)
        #expect(second.call.isPaused)
        fixture.clock.advance(by: .seconds(1))
        sendRest(first.call, from: 60, fixture)
        let result = try await first.caller.value
        // It is decoded for longer than the other's whole transfer may take.
        fixture.clock.advance(by: .seconds(8))
        #expect(second.call.end == nil)
        result.share?.release()
        while second.call.isPaused, !Task.isCancelled { await Task.yield() }
        sendRest(second.call, from: 40, fixture)
        #expect(try await second.caller.value.body == fixture.body)
    }

    @Test func pause_doesNotCount_forTheMinimumRate() async throws {
        let fixture = makeFixture(limit: 100, width: 2) {
            $0.minimumRate = MinimumRate()
            $0.minimumRate?.bytesPerSecond = 1
        }
        let first = try await begin("first", 60, fixture)
        let second = try await begin("second", 40, fixture)
        let waiting = try await fixture.queue("waiting")
        for round in 0..<3 {
            first.call.send(fixture.body[60 + round * 10..<70 + round * 10])
            try await first.call.delivered()
            try await fixture.clock.sleeper(until: .init(offset: .seconds(10 * (round + 1))))
            fixture.clock.advance(by: .seconds(10))
        }
        // The next check is due: this one has ended nothing.
        try await fixture.clock.sleeper(until: .init(offset: .seconds(60)))
        #expect(second.call.isPaused && second.call.end == nil)
        sendRest(first.call, from: 90, fixture)
        try await first.caller.value.share?.release()
        sendRest(second.call, from: 40, fixture)
        try await second.caller.value.share?.release()
        fixture.complete(try await fixture.nextCall())
        _ = try await waiting.value
    }

    // MARK: The limit

    @Test func limit_isAnEighthOfTheMemory_andAtMost256MiB() async throws {
        for (memory, limit) in [(1 << 30, 128 << 20), (64 << 30, 256 << 20), (800, 100)] {
            let budget = BodyBudget(memory: ProcessMemory { memory })
            #expect(!budget.isLimitKnown)
            let fixture = CoordinatorFixture {
                $0.bodyBudget = budget
                $0.response.maximumBytes = 1 << 40
            }
            let caller = try fixture.download()
            fixture.complete(try await fixture.nextCall())
            try await caller.value.share?.release()
            #expect(budget.isLimitKnown)
            let share = budget.share { .normal }
            share.add(limit - 1)
            share.complete()
            #expect(budget.hasRoom)
            share.add(1)
            #expect(!budget.hasRoom)
        }
    }

    /// Every loader shares it.
    @Test func default_isThatOfTheProcess() {
        #expect(DownloadCoordinator.Settings().bodyBudget === BodyBudget.shared)
        #expect(ImageLoader.Configuration.server.download.bodyBudget === BodyBudget.shared)
    }
}
