import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Which download gets a slot, and when.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorSlotTests {
    /// Completes one call after another. Returns the paths in the order in which they were sent.
    private func finish(_ fixture: CoordinatorFixture, _ count: Int, first: ScriptedDataLoader.Call) async throws
        -> [String]
    {
        fixture.complete(first)
        var paths: [String] = []
        for _ in 0..<count {
            let call = try await fixture.nextCall()
            paths.append(call.request.url.lastPathComponent)
            fixture.complete(call)
        }
        return paths
    }

    @Test func pausedQueue_startsNothing_andResumesWithTheMostUrgent() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        let running = try fixture.download("running")
        let call = try await fixture.nextCall()
        await fixture.coordinator.pause()
        let first = try await fixture.queue("first")
        let urgent = try await fixture.queue("urgent", priority: .high)
        // The running download continues.
        fixture.complete(call)
        _ = try await running.value
        #expect(await fixture.statistics.running == 0)
        #expect(fixture.transport.callCount == 1)
        await fixture.coordinator.resume()
        let next = try await fixture.nextCall()
        #expect(next.request.url.path == "/urgent")
        #expect(try await finish(fixture, 1, first: next) == ["first"])
        _ = (try await first.value, try await urgent.value)
    }

    @Test func downloadCancelledDuringAPause_isNeverSent() async throws {
        let fixture = CoordinatorFixture()
        await fixture.coordinator.pause()
        let cancelled = try await fixture.queue("cancelled")
        let waiting = try await fixture.queue("waiting")
        cancelled.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await cancelled.value }
        await fixture.untilEnded(1)
        await fixture.coordinator.resume()
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/waiting")
        fixture.complete(call)
        _ = try await waiting.value
        #expect(fixture.transport.callCount == 1)
    }

    /// The queue gives it the slot before the coordinator learns that it has been cancelled.
    @Test func slotGivenToACancelledDownload_goesToTheNext_inTheSameTurn() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        let running = try fixture.download("running")
        let first = try await fixture.nextCall()
        let cancelled = try await fixture.queue("cancelled")
        let waiting = try await fixture.queue("waiting")
        let queue = await fixture.coordinator.inOneTurn { coordinator in
            cancelled.cancel()
            coordinator.advance { $0.setWidth(2, now: $1) }
            return coordinator.queue
        }
        #expect(queue.runningCount == 2 && queue.waitingCount == 0)
        let second = try await fixture.nextCall()
        #expect(second.request.url.path == "/waiting")
        await #expect(throws: ImageLoaderError.cancelled) { try await cancelled.value }
        for call in [first, second] { fixture.complete(call) }
        _ = try await (running.value, waiting.value)
        await fixture.until { $0.running == 0 && $0.cancelled == 1 }
        #expect(fixture.transport.callCount == 2)
    }

    @Test func fullHost_blocksNoOther() async throws {
        let fixture = CoordinatorFixture {
            $0.maximumConcurrentDownloads = 4
            $0.maximumConcurrentDownloadsPerHost = 1
        }
        let first = try fixture.download("first")
        let call = try await fixture.nextCall()
        let second = try await fixture.queue("second")
        #expect(await fixture.statistics.queuedByHost == ["host.test": 1])
        let other = fixture.download(ImageRequest(url: try #require(URL(string: "http://other.test/other"))))
        let otherCall = try await fixture.nextCall()
        #expect(otherCall.request.url.host == "other.test")
        fixture.complete(otherCall)
        _ = try await other.value
        // A higher limit for the host takes effect at once.
        try await fixture.coordinator.setMaximumConcurrentDownloads(2, forHostOf: .test())
        let secondCall = try await fixture.nextCall()
        #expect(secondCall.request.url.path == "/second")
        fixture.complete(secondCall)
        fixture.complete(call)
        _ = (try await first.value, try await second.value)
    }

    /// Not even that of all hosts at the start.
    @Test func allowedOrigin_hasNoLimitOfItsOwn() async throws {
        let fixture = CoordinatorFixture(width: 1, hostWidth: 1) { $0.network.allowedOrigins = ["http://host.test"] }
        try await fixture.coordinator.setMaximumConcurrentDownloads(3)
        let callers = try (0..<3).map { try fixture.download("\($0)") }
        var calls: [ScriptedDataLoader.Call] = []
        for _ in callers { calls.append(try await fixture.nextCall()) }
        for call in calls { fixture.complete(call) }
        for caller in callers { _ = try await caller.value }
    }

    @Test func startRate_spreadsStartsOverTime() async throws {
        let fixture = CoordinatorFixture { $0.startRate = StartRate(perSecond: 2, burst: 1) }
        let first = try fixture.download("first")
        let firstCall = try await fixture.nextCall()
        let second = try await fixture.queue("second")
        let third = try await fixture.queue("third")
        #expect(try await fixture.clock.nextSleeper().offset == .milliseconds(500))
        fixture.clock.advance(by: .milliseconds(499))
        #expect(fixture.clock.sleeperCount == 1)
        #expect(await fixture.statistics.started == 1)
        fixture.clock.advance(by: .milliseconds(1))
        let secondCall = try await fixture.nextCall()
        #expect(secondCall.request.url.path == "/second")
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(1))
        #expect(await fixture.statistics.started == 2)
        fixture.clock.advance(by: .milliseconds(500))
        let thirdCall = try await fixture.nextCall()
        for call in [firstCall, secondCall, thirdCall] { fixture.complete(call) }
        for caller in [first, second, third] { _ = try await caller.value }
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func urgentDownload_overtakesOthers() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        let running = try fixture.download("running")
        let call = try await fixture.nextCall()
        var callers = [running]
        for (path, priority) in [("normal", RequestPriority.normal), ("low", .low), ("high", .high)] {
            callers.append(try await fixture.queue(path, priority: priority))
        }
        #expect(try await finish(fixture, 3, first: call) == ["high", "normal", "low"])
        for caller in callers { _ = try await caller.value }
    }

    @Test func priorityRaisedInLine_overtakesOthers() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        let running = try fixture.download("running")
        let call = try await fixture.nextCall()
        let control = LoadControl(priority: .low)
        let callers = [running, try await fixture.queue("first"), try await fixture.queue("raised", control: control)]
        let next = await nextInLine(fixture)
        control.setPriority(.veryHigh)
        _ = await overtaken(next, fixture)
        #expect(try await finish(fixture, 2, first: call) == ["raised", "first"])
        for caller in callers { _ = try await caller.value }
    }

    /// The download that one more slot would start.
    private func nextInLine(_ fixture: CoordinatorFixture) async -> FlightID? {
        var queue = await fixture.coordinator.queue
        return queue.setWidth(2, now: .zero).first
    }

    /// Waits until another download than `first` would start next, and returns it.
    private func overtaken(_ first: FlightID?, _ fixture: CoordinatorFixture) async -> FlightID? {
        while !Task.isCancelled {
            let next = await nextInLine(fixture)
            if next != first { return next }
            await Task.yield()
        }
        return nil
    }

    @Test func cancelledUrgentCaller_takesItsPriorityAlong() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        let running = try fixture.download("running")
        let call = try await fixture.nextCall()
        let shared = try await fixture.queue("shared")
        let other = try await fixture.queue("other", priority: .high)
        let next = await nextInLine(fixture)
        let urgent = try fixture.download("shared", priority: .veryHigh)
        let overtaking = await overtaken(next, fixture)
        urgent.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await urgent.value }
        #expect(await overtaken(overtaking, fixture) == next)
        #expect(try await finish(fixture, 2, first: call) == ["other", "shared"])
        for caller in [running, shared, other] { _ = try await caller.value }
    }

    @Test func urgentJoiner_raisesTheQueuedDownload() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        let running = try fixture.download("running")
        let call = try await fixture.nextCall()
        let shared = try await fixture.queue("shared")
        let other = try await fixture.queue("other", priority: .high)
        let next = await nextInLine(fixture)
        let urgent = try fixture.download("shared", priority: .veryHigh)
        _ = await overtaken(next, fixture)
        #expect(try await finish(fixture, 2, first: call) == ["shared", "other"])
        for caller in [running, shared, other, urgent] { _ = try await caller.value }
    }

    @Test(arguments: [DownloadOrder.firstInFirstOut, .lastInFirstOut])
    func orderWithinAPriority_isAsConfigured(_ order: DownloadOrder) async throws {
        let fixture = CoordinatorFixture {
            $0.maximumConcurrentDownloads = 1
            $0.order = order
        }
        var callers = [try fixture.download("running")]
        let call = try await fixture.nextCall()
        for path in ["1", "2", "3"] { callers.append(try await fixture.queue(path)) }
        let expected = ["1", "2", "3"]
        let paths = try await finish(fixture, 3, first: call)
        #expect(paths == (order == .firstInFirstOut ? expected : expected.reversed()))
        for caller in callers { _ = try await caller.value }
    }

    @Test func prefetches_useHalfOfTheSlotsAtMost() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 4 }
        var callers: [Task<Download, any Error>] = []
        var calls: [ScriptedDataLoader.Call] = []
        for path in ["1", "2"] {
            callers.append(try fixture.download(path, priority: .low))
            calls.append(try await fixture.nextCall())
        }
        callers.append(try await fixture.queue("3", priority: .veryLow))
        callers.append(try fixture.download("wanted"))
        calls.append(try await fixture.nextCall())
        #expect(calls[2].request.url.path == "/wanted")
        #expect(await fixture.statistics.running == 3)
        #expect(await fixture.statistics.queued == 1)
        fixture.complete(calls[0])
        calls.append(try await fixture.nextCall())
        #expect(calls[3].request.url.path == "/3")
        for call in calls { fixture.complete(call) }
        for caller in callers { _ = try await caller.value }
    }

    @Test func bytesAfterTheLastCallerLeft_areRejected_andCountAsWasted() async throws {
        let loader = DeafDataLoader(body: Data(count: 30), error: .timedOut(.idle))
        let fixture = CoordinatorFixture(loader: loader)
        let caller = try fixture.download()
        await loader.started.wait { $0.count == 1 }
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        // The transport still holds the slot.
        #expect(await fixture.statistics.running == 1)
        loader.gate.record(())
        await fixture.untilEnded(1)
        #expect(loader.taken.values == [.cancelled])
        #expect(await fixture.statistics.bytesWasted == 30)
        #expect(await fixture.statistics.running == 0)
    }

    @Test func retainedControl_doesNotRetainTheCoordinator() async throws {
        let control = LoadControl()
        weak var coordinator: DownloadCoordinator?
        do {
            let fixture = CoordinatorFixture(ScriptedDataLoader { _ in .bytes(Data([1])) })
            coordinator = fixture.coordinator
            _ = try await fixture.download(control: control).value
        }
        // The download's Task, which retains it, may not have ended yet.
        while coordinator != nil, !Task.isCancelled { await Task.yield() }
        #expect(coordinator == nil)
        control.setPriority(.high)
    }
}
