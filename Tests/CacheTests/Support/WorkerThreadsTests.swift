import Alcedo
import AlcedoTestSupport
import Synchronization
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct WorkerThreadsTests {
    @Test func jobsOfOneThread_runInOrder() async {
        let threads = WorkerThreads("test", count: 1)
        let order = Recorder<Int>()
        for number in 0..<100 { threads.submit { order.record(number) } }
        await threads.run {}
        #expect(order.values == Array(0..<100))
    }

    @Test func longJob_holdsUpNoShortOnes_whileAnotherThreadIsIdle() async {
        let threads = WorkerThreads("test", count: 2)
        let gate = ThreadGate()
        threads.submit { gate.enter() }
        await gate.arrivals(1)
        for number in 0..<2_000 { #expect(await threads.run { number } == number) }
        gate.open()
    }

    @Test func cancelledCaller_returnsAtOnce_andItsWorkNeverStarts() async {
        let threads = WorkerThreads("test", count: 1)
        let gate = ThreadGate()
        threads.submit { gate.enter() }
        await gate.arrivals(1)
        let begun = Recorder<Int>()
        let caller = Task { await threads.runUnlessCancelled { begun.record(1) } }
        caller.cancel()
        #expect(await caller.value == nil)
        gate.open()
        await threads.run {}
        #expect(begun.values.isEmpty)
    }

    @Test func workerThreads_areRecognized() async {
        #expect(!WorkerThreads.isCurrent)
        #expect(await WorkerThreads("test", count: 1).run { WorkerThreads.isCurrent })
    }

    // MARK: A process that is out of threads

    /// Gives as many threads as it is told.
    private final class Giver: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func give(_ count: Int) { left.withLock { $0 = count } }

        var hasRefused: Bool { left.withLock { $0 < 0 } }

        func start(_ label: String, _ body: @escaping @Sendable () -> Void) -> Bool {
            let isGiven = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isGiven && SystemThread.start(label, body)
        }
    }

    @Test func jobsWithoutThreads_wait_andNeverRunOnCaller() async throws {
        let (giver, clock) = (Giver(0), ManualClock())
        let threads = WorkerThreads("test", count: 1, time: TimeSource(clock), start: giver.start)
        let order = Recorder<Int>()
        for number in 0..<100 {
            threads.submit {
                #expect(WorkerThreads.isCurrent)
                order.record(number)
            }
        }
        // One attempt after the other fails.
        for _ in 0..<3 { clock.advance(to: try await clock.nextSleeper()) }
        let last = try await clock.nextSleeper()
        #expect(order.values.isEmpty)
        #expect(clock.sleeperCount == 1)
        giver.give(1)
        clock.advance(to: last)
        #expect(await threads.run { 7 } == 7)
        #expect(order.values == Array(0..<100))
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledCallerWithoutThreads_returnsAtOnce() async throws {
        let clock = ManualClock()
        let threads = WorkerThreads("test", count: 1, time: TimeSource(clock), start: Giver(0).start)
        let caller = Task { await threads.runUnlessCancelled { 7 } }
        _ = try await clock.nextSleeper()
        caller.cancel()
        #expect(await caller.value == nil)
    }

    @Test func queuedJobs_run_afterRelease() async throws {
        let (giver, clock) = (Giver(0), ManualClock())
        let ran = Recorder<Int>()
        WorkerThreads("test", count: 1, time: TimeSource(clock), start: giver.start).submit { ran.record(1) }
        let retry = try await clock.nextSleeper()
        giver.give(1)
        clock.advance(to: retry)
        #expect(await ran.wait { !$0.isEmpty } == [1])
    }

    @Test func refusedThread_leavesJobsToExistingThreads() async {
        let giver = Giver(1)
        let threads = WorkerThreads("test", count: 4, start: giver.start)
        let gate = ThreadGate()
        threads.submit { gate.enter() }
        await gate.arrivals(1)
        let order = Recorder<Int>()
        for number in 0..<100 { threads.submit { order.record(number) } }
        #expect(order.values.isEmpty)
        gate.open()
        await threads.run {}
        #expect(order.values == Array(0..<100))
        #expect(giver.hasRefused)
    }

    @Test func laterThreads_doQueuedWork() async {
        let giver = Giver(0)
        let threads = WorkerThreads("test", count: 4, start: giver.start)
        threads.submit {}
        giver.give(4)
        let gate = ThreadGate()
        for _ in 0..<4 { threads.submit { gate.enter() } }
        await gate.arrivals(4)
        gate.open()
        await threads.run {}
    }

    @Test func manyCallers_getTheirResults_asThreadsVary() async {
        for seed in 0..<50 {
            let giver = Giver(0)
            let threads = WorkerThreads("test", count: 4, start: giver.start)
            let sum = await withTaskGroup(of: Int.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        if number == seed { giver.give(2) }
                        return await threads.run { number }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(sum == 64 * 63 / 2)
        }
    }
}
