import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(1))) struct WorkerThreadsTests {
    @Test func jobsOfOneThread_runInOrder() async {
        let threads = WorkerThreads("test", count: 1)
        let order = Recorder<Int>()
        for number in 0..<100 { threads.submit { order.record(number) } }
        await threads.run {}
        #expect(order.values == Array(0..<100))
    }

    @Test func aLongJob_holdsUpNoShortOnes_whileAnotherThreadIsIdle() async {
        let threads = WorkerThreads("test", count: 2)
        let gate = ThreadGate()
        threads.submit { gate.enter() }
        await gate.arrivals(1)
        for number in 0..<2_000 { #expect(await threads.run { number } == number) }
        gate.open()
    }

    @Test func aCancelledCaller_isBackAtOnce_andItsWorkNeverBegins() async {
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

    @Test func itsThreads_areToldFromThePools() async {
        #expect(!WorkerThreads.isCurrent)
        #expect(await WorkerThreads("test", count: 1).run { WorkerThreads.isCurrent })
    }
}
