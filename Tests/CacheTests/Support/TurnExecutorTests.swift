import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

@Suite struct TurnExecutorTests {
    private let log = Log()

    @Test func freeActor_isEnteredOnCallersThread() {
        #expect(log.turns.now(log) { $0.add("now") } == 1)
        log.turns.soon(log) { $0.add("soon") }
        #expect(log.turns.now(log) { $0.entries } == ["now", "soon"])
    }

    @Test func busyActor_isNotEntered_andSoonRunsAfterTheTurn() {
        let nested = log.turns.now(log) { log in
            log.add("first")
            log.turns.soon(log) { $0.add("soon") }
            return log.turns.now(log) { $0.add("never") } == nil && log.entries == ["first"]
        }
        #expect(nested == true)
        #expect(log.turns.now(log) { $0.entries } == ["first", "soon"])
    }

    @Test func awaitedCalls_waitForTheTurn() async {
        let (log, turns) = (log, log.turns)
        let tasks = turns.now(log) { log in
            // They can't run before this turn ends, on whatever thread they come.
            let tasks = (0..<100).map { number in Task.detached { _ = await log.add("\(number)") } }
            log.add("turn")
            return tasks
        }
        for task in tasks ?? [] { await task.value }
        let entries = await log.entries
        #expect(entries.first == "turn")
        #expect(entries.count == 101 && Set(entries).count == 101)
    }

    /// A lost update would show that two threads were in the actor at once.
    @Test func turnsOfManyThreads_neverOverlap() async {
        let log = log
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<500 {
                        switch (number + round) % 3 {
                        case 0: await log.count()
                        case 1: log.turns.soon(log) { $0.count() }
                        default: if log.turns.now(log, { $0.count() }) == nil { await log.count() }
                        }
                    }
                }
            }
        }
        // What was left to another thread has run when the actor is awaited.
        #expect(await log.number == 4_000)
    }

    /// However busy others keep the actor.
    @Test func turnsOfOneCaller_runInOrder() async {
        let (log, turns) = (log, log.turns)
        let others = (0..<3).map { _ in
            Task.detached { for _ in 0..<20_000 { _ = turns.now(log) { $0.count() } } }
        }
        for number in 0..<20_000 { turns.soon(log) { $0.add("\(number)") } }
        for other in others { await other.value }
        #expect(await log.entries.compactMap { Int($0) } == Array(0..<20_000))
    }

    /// The last job of an actor may run on another thread, and end the actor, while it is still being handed over.
    @Test func actorEndsWithItsLastJob_whileThatIsHandedOver() async {
        for _ in 0..<5_000 {
            let log = Log()
            let busy = Task.detached { log.turns.now(log) { $0.count() } }
            let last = Task.detached { await log.count() }
            _ = await (busy.value, last.value)
        }
    }

    /// A handler of a cancellation may hold a lock, and be called in a turn.
    @Test func laterTurns_areNotRunByTheirCaller() async {
        let (log, turns) = (log, log.turns)
        let lock = Mutex(())
        lock.withLock { _ in turns.later(log) { log in lock.withLock { _ in _ = log.add("locked") } } }
        while await log.entries.isEmpty { await Task.yield() }
        var isLater: Bool?
        // The thread of the last turn may have it still.
        while isLater == nil {
            isLater = turns.now(log) { log in
                for number in 0..<100 { turns.later(log) { $0.add("\(number)") } }
                return log.entries == ["locked"]
            }
        }
        #expect(isLater == true)
        while await log.entries.count < 101 { await Task.yield() }
        #expect(await Set(log.entries).count == 101)
    }

    /// A caller isn't kept by the turns of others, whether they are there before it or come meanwhile.
    @Test(arguments: [1_000, 63])
    func aThread_takesSomeOfManyTurns_andATaskTheRest(_ first: Int) async {
        let (log, turns) = (log, log.turns)
        let mark = ThreadMark()
        @Sendable func add(_ numbers: Range<Int>) {
            for number in numbers {
                turns.later(log) { log in
                    if mark.isHere { log.count() }
                    log.add("\(number)")
                    if number == 0 { add(first..<1_000) }
                }
            }
        }
        let hadTurn: Void? = mark { turns.now(log) { _ in add(0..<first) } }
        #expect(hadTurn != nil)
        while await log.entries.count < 1_000 { await Task.yield() }
        #expect(await log.entries == (0..<1_000).map(String.init))
        #expect(await log.number == 64)
    }

    @MainActor @Test func awaitedCall_runsOnNoThreadOfTheCallersActor() async {
        #expect(await log.isOnMainThread == false)
    }

    @Test func isolation_isThatOfTheThreadInTheTurn() async {
        let log = log
        #expect(log.turns.isIsolatingCurrentContext() == false)
        #expect(log.turns.now(log) { $0.turns.isIsolatingCurrentContext() == true } == true)
        #expect(await log.isIsolated)
        #expect(log.turns.isIsolatingCurrentContext() == false)
    }
}

private actor Log {
    nonisolated let turns = TurnExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { turns.asUnownedSerialExecutor() }

    private(set) var entries: [String] = []
    private(set) var number = 0
    var isOnMainThread: Bool { Thread.isMainThread }
    var isIsolated: Bool { turns.isIsolatingCurrentContext() == true }

    @discardableResult func add(_ entry: String) -> Int {
        entries.append(entry)
        return entries.count
    }

    func count() {
        let before = number
        number = before + 1
    }
}
