import AlcedoTestSupport
import Dispatch
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test func `durations between instants have the right sign`() {
        let early = ManualClock.Instant(offset: .seconds(1))
        let late = early.advanced(by: .seconds(2))
        #expect(early.duration(to: late) == .seconds(2))
        #expect(late.duration(to: early) == .seconds(-2))
        #expect(early < late)
        #expect(!(late < early))
        #expect(late == ManualClock.Instant(offset: .seconds(3)))
        #expect(early.advanced(by: early.duration(to: late)) == late)
    }

    @Test func `the time moves only when it is told to, and never back`() {
        #expect(clock.now == .init())
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now == .init(offset: .milliseconds(1500)))
        clock.advance(to: .init(offset: .seconds(1)))
        #expect(clock.now == .init(offset: .milliseconds(1500)))
        clock.advance(to: .init(offset: .seconds(2)))
        #expect(clock.now == .init(offset: .seconds(2)))
    }

    @Test func `a sleep that is due returns at once`() async throws {
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: clock.now)
        try await clock.sleep(until: .init())
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a sleeper wakes at its deadline and not before`() async throws {
        let task = Task { [clock] in
            try await clock.sleep(for: .seconds(5))
            return clock.now
        }
        #expect(try await clock.nextSleeper() == .init(offset: .seconds(5)))
        clock.advance(by: .nanoseconds(4_999_999_999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(clock.sleeperCount == 0)
        #expect(try await task.value == .init(offset: .seconds(5)))
    }

    @Test func `it serves as any clock`() async throws {
        let any: any Clock<Duration> = clock
        async let slept: Void = any.sleep(for: .seconds(1))
        clock.advance(to: try await clock.nextSleeper())
        try await slept
    }

    @Test func `sleepers resume in the order of their deadlines`() async throws {
        let executor = OrderedExecutor()
        let order = Mutex<[Int]>([])
        var tasks: [Task<Void, any Error>] = []
        for seconds in [3, 1, 2] {
            tasks.append(
                Task(executorPreference: executor) { @Sendable [clock] in
                    try await clock.sleep(for: .seconds(seconds))
                    order.withLock { $0.append(seconds) }
                })
        }
        try await clock.sleepers(atLeast: 3)
        // The last one is still running when it is counted.
        await Task(executorPreference: executor) {}.value
        clock.advance(by: .seconds(3))
        for task in tasks { try await task.value }
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func `each sleeper is reported once, also when it slept first`() async throws {
        let first = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        try await clock.sleeper(until: .init(offset: .seconds(1)))
        let second = Task { [clock] in try await clock.sleep(for: .seconds(2)) }
        try await clock.sleeper(until: .init(offset: .seconds(2)))
        #expect(try await clock.nextSleeper() == .init(offset: .seconds(1)))
        #expect(try await clock.nextSleeper() == .init(offset: .seconds(2)))
        let third = Task { [clock] in try await clock.nextSleeper() }
        clock.advance(by: .seconds(2))
        try await first.value
        try await second.value
        third.cancel()
        await #expect(throws: CancellationError.self) { try await third.value }
    }

    @Test func `a sleeper that woke unseen is passed over`() async throws {
        let seen = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        try await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        try await seen.value
        let next = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        #expect(try await clock.nextSleeper() == .init(offset: .seconds(11)))
        clock.advance(by: .seconds(10))
        try await next.value
    }

    @Test func `a cancelled sleeper throws without the time moving`() async throws {
        let task = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        _ = try await clock.nextSleeper()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        #expect(clock.now == .init())
    }

    @Test func `wake and cancellation race to one outcome`() async throws {
        for _ in 0..<500 {
            let clock = ManualClock()
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            _ = try await clock.nextSleeper()
            async let advanced: Void = clock.advance(by: .seconds(1))
            task.cancel()
            await advanced
            _ = await task.result
            #expect(clock.sleeperCount == 0)
        }
    }
}

/// Runs what is resumed in the order of the resumptions.
private final class OrderedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "ordered")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
