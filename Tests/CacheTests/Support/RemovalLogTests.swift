import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct RemovalLogTests {
    @Test func storeBegunBeforeRemoval_isRejected() {
        var log = RemovalLog<String>()
        let before = log.ticket()
        log.record("a")
        let after = log.ticket()
        #expect(!log.permits(before, "a"))
        #expect(log.permits(before, "b"))
        #expect(log.permits(after, "a"))
        log.record("a")
        #expect(!log.permits(after, "a"))
    }

    @Test func removingAll_refusesEveryEarlierStore() {
        var log = RemovalLog<String>()
        let before = log.ticket()
        log.recordAll()
        #expect(!log.permits(before, "a"))
        #expect(log.permits(log.ticket(), "a"))
    }

    @Test func ticketBegunBeforeLogsMemory_isRejectedForEveryKey() {
        var log = RemovalLog<Int>(capacity: 8)
        let old = log.ticket()
        log.record(1)
        let young = log.ticket()
        for key in 100..<107 { log.record(key) }
        #expect(!log.permits(old, 1))
        #expect(log.permits(old, 2))
        log.record(107)
        #expect(!log.permits(old, 2))
        #expect(log.permits(young, 1) && !log.permits(young, 107))
        log.record(108)
        #expect(!log.permits(young, 1))
        #expect(log.permits(log.ticket(), 1))
    }

    @Test func randomHistories_neverPermitWhatWasRemoved() {
        var random = SeededRandom(seed: 9)
        var log = RemovalLog<Int>(capacity: 16)
        var removedAt: [Int: Int] = [:]
        var tickets: [(RemovalLog<Int>.Ticket, Int)] = []
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<30, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: tickets.append((log.ticket(), step))
            case 1:
                log.record(key)
                removedAt[key] = step
            default:
                guard let (ticket, taken) = tickets.randomElement(using: &random) else { continue }
                if log.permits(ticket, key) { must(taken >= removedAt[key] ?? 0, "step \(step)") }
            }
            if tickets.count > 20 { tickets.removeFirst() }
        }
    }
}
