import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct SlotQueueTests {
    @Test func slots_areGivenInOrder() {
        var queue = SlotQueue<Int>(width: 2)
        check(queue.request(1), true)
        check(queue.request(2), true)
        check(queue.request(3), false)
        check(queue.request(4), false)
        check(queue.release(2), [3])
        check(queue.release(1), [4])
        check(queue.release(1), [])
        #expect(queue.runningCount == 2)
        #expect(queue.brokenInvariant == nil)
    }

    @Test func cancelledWaiter_isSkipped() {
        var queue = SlotQueue<Int>(width: 1)
        _ = queue.request(1)
        for id in 2...4 { _ = queue.request(id) }
        check(queue.release(2), [])
        check(queue.release(3), [])
        check(queue.release(1), [4])
        #expect(queue.waitingCount == 0)
    }

    @Test func returningWaiter_goesToTheEnd() {
        var queue = SlotQueue<Int>(width: 1)
        _ = queue.request(1)
        for id in 2...4 { _ = queue.request(id) }
        // Its old place lies behind one that still waits, and must not count.
        _ = queue.release(3)
        _ = queue.request(3)
        check(queue.release(1), [2])
        check(queue.release(2), [4])
        check(queue.release(4), [3])
    }

    @Test func abandonedPlaces_doNotAccumulate() {
        var queue = SlotQueue<Int>(width: 1)
        _ = queue.request(1)
        _ = queue.request(2)
        for id in 3..<10_000 {
            _ = queue.request(id)
            _ = queue.release(id)
            if id.isMultiple(of: 1_000) { #expect(queue.lineCapacity < 200) }
        }
        check(queue.release(1), [2])
    }

    @Test func higherPriority_goesFirst_evenIfRaisedInQueue() {
        var queue = SlotQueue<Int>(width: 1)
        _ = queue.request(1)
        _ = queue.request(2, priority: .low)
        for id in 3...5 { _ = queue.request(id) }
        check(queue.setPriority(.high, of: 5), [])
        check(queue.setPriority(.veryHigh, of: 4), [])
        // It keeps the time it came.
        check(queue.setPriority(.high, of: 4), [])
        check(queue.setPriority(.normal, of: 2), [])
        for (left, next) in [(1, 4), (4, 5), (5, 2), (2, 3)] { check(queue.release(left), [next]) }
        check(queue.setPriority(.high, of: 3), [])
        check(queue.setPriority(.high, of: 99), [])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func urgentLightWaiter_passesHeavyWaiter() {
        var queue = SlotQueue<Int>(width: 8, weightLimit: 10)
        check(queue.request(1, weight: 6), true)
        check(queue.request(2, weight: 6), false)
        check(queue.request(3, weight: 3, priority: .high), true)
        check(queue.request(4, weight: 1), false)
        check(queue.setPriority(.low, of: 2), [4])
        check(queue.release(1), [2])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func heavyWaiter_isNotOvertaken() {
        var queue = SlotQueue<Int>(width: 8, weightLimit: 10)
        check(queue.request(1, weight: 6), true)
        check(queue.request(2, weight: 6), false)
        check(queue.request(3, weight: 1), false)
        check(queue.release(1), [2, 3])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func waiterAboveLimit_runsAlone() {
        var queue = SlotQueue<Int>(width: 8, weightLimit: 10)
        check(queue.request(1, weight: 100), true)
        check(queue.request(2, weight: 0), false)
        check(queue.release(1), [2])
    }

    @Test(arguments: [0, -3]) func widthBelowOne_isOne(width: Int) {
        var queue = SlotQueue<Int>(width: width)
        check(queue.request(1), true)
        check(queue.request(2), false)
    }

    @Test func randomHistories_keepInvariants() {
        var random = SeededRandom(seed: 7)
        var queue = SlotQueue<Int>(width: 3, weightLimit: 20)
        var granted: Set<Int> = []
        var asked: Set<Int> = []
        for step in 0..<50_000 {
            if Bool.random(using: &random) || asked.isEmpty {
                asked.insert(step)
                let weight = Int.random(in: 0...25, using: &random)
                if queue.request(step, weight: weight, priority: Self.priority(&random)) { granted.insert(step) }
            } else if step.isMultiple(of: 5), let id = asked.randomElement(using: &random) {
                for next in queue.setPriority(Self.priority(&random), of: id) {
                    check(granted.insert(next).inserted, true)
                }
            } else if let id = (Bool.random(using: &random) ? granted : asked).randomElement(using: &random) {
                asked.remove(id)
                granted.remove(id)
                for next in queue.release(id) { check(granted.insert(next).inserted, true) }
            }
            #expect(queue.runningCount == granted.count)
            #expect(queue.runningCount + queue.waitingCount == asked.count)
            if step.isMultiple(of: 97) { #expect(queue.brokenInvariant == nil) }
            if asked.count > 64 {
                for id in asked { _ = queue.release(id) }
                (asked, granted) = ([], [])
            }
        }
    }

    private static func priority(_ random: inout SeededRandom) -> RequestPriority {
        RequestPriority.allCases.randomElement(using: &random) ?? .normal
    }
}
