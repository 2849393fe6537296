import Alcedo
import AlcedoTestSupport
import Synchronization
import Testing

@testable import TestFixtures

@Suite final class FlightTableTests {
    private typealias Table = FlightTable<String, Int>

    /// The number of the next waiter.
    private let next = Atomic(1)

    /// Joins as a new waiter.
    private func join(
        _ key: String, _ priority: RequestPriority = .normal, in table: inout Table
    ) -> (waiter: Table.WaiterID, number: Int, decision: Table.Join) {
        let number = next.add(1, ordering: .relaxed).oldValue
        let (waiter, decision) = table.join(key, number, priority: priority)
        return (waiter, number, decision)
    }

    private func flight(_ decision: Table.Join) -> FlightID {
        switch decision {
        case .start(let flight), .joined(let flight, _): flight
        }
    }

    @Test func firstCaller_starts_andNextJoinItsFlight() {
        var table = Table()
        let first = join("a", in: &table)
        let second = join("a", in: &table)
        let other = join("b", in: &table)
        #expect(first.decision == .start(flight(first.decision)))
        #expect(second.decision == .joined(flight(first.decision), priority: nil))
        #expect(other.decision == .start(flight(other.decision)))
        #expect(flight(other.decision) != flight(first.decision))
        #expect(table.waiterCount(of: "a") == 2)
        #expect(table.brokenInvariant == nil)
    }

    @Test func end_resumesEachWaiterOnce_inOrderOfArrival() {
        var table = Table()
        let waiters = (0..<100).map { _ in join("a", in: &table) }
        let flight = flight(waiters[0].decision)
        check(table.ended(flight), waiters.map(\.number))
        check(table.ended(flight), [])
        for waiter in waiters { check(table.leave(waiter.waiter), .unknown) }
        #expect(table.flightCount == 0)
        #expect(table.brokenInvariant == nil)
    }

    @Test func lastWaiterLeaving_cancelsFlight() {
        var table = Table()
        let first = join("a", in: &table)
        let second = join("a", in: &table)
        check(table.leave(first.waiter), .resume(flight(first.decision), priority: nil))
        check(table.leave(first.waiter), .unknown)
        check(table.leave(second.waiter), .resumeAndCancel(flight(first.decision)))
        check(table.leave(second.waiter), .unknown)
        #expect(table.brokenInvariant == nil)
    }

    @Test func joiningCancelledFlight_startsNewGeneration() {
        var table = Table()
        let first = join("a", in: &table)
        _ = table.leave(first.waiter)
        let second = join("a", in: &table)
        #expect(second.decision == .start(flight(second.decision)))
        // The cancelled one winds down and reaches no one.
        #expect(table.flightCount == 2)
        check(table.ended(flight(first.decision)), [])
        #expect(table.waiterCount(of: "a") == 1)
        check(table.ended(flight(second.decision)), [second.number])
        #expect(table.brokenInvariant == nil)
    }

    @Test func retiredFlight_servesItsWaiters_andTakesNoMore() {
        var table = Table()
        let early = join("a", in: &table)
        table.retire("a")
        let late = join("a", in: &table)
        #expect(flight(late.decision) != flight(early.decision))
        check(table.ended(flight(early.decision)), [early.number])
        #expect(table.waiterCount(of: "a") == 1)
        check(table.leave(late.waiter), .resumeAndCancel(flight(late.decision)))
        #expect(table.brokenInvariant == nil)
    }

    @Test func retiredFlight_isCancelledByItsLastWaiter_andLeavesNewOneAlone() {
        var table = Table()
        let early = join("a", in: &table)
        table.retire("a")
        let late = join("a", in: &table)
        check(table.leave(early.waiter), .resumeAndCancel(flight(early.decision)))
        let later = join("a", in: &table)
        #expect(later.decision == .joined(flight(late.decision), priority: nil))
        #expect(table.brokenInvariant == nil)
    }

    @Test func unknownWaiterOrFlight_changesNothing() {
        var table = Table()
        var other = Table()
        let known = join("a", in: &table)
        #expect(table[known.waiter] == known.number)
        _ = join("x", in: &other)
        let foreign = join("y", in: &other)
        check(table.leave(foreign.waiter), .unknown)
        check(table.ended(flight(foreign.decision)), [])
        #expect(table[foreign.waiter] == nil)
        #expect(table.waiters == [known.number])
        #expect(table.waiterCount(of: "a") == 1)
        check(table.leave(known.waiter), .resumeAndCancel(flight(known.decision)))
        #expect(table[known.waiter] == nil)
    }

    // MARK: Priorities

    @Test func flight_hasHighestPriorityOfItsWaiters() {
        var table = Table()
        let first = join("a", .low, in: &table)
        let flight = flight(first.decision)
        #expect(table.priority(of: flight) == .low)
        let second = join("a", .high, in: &table)
        #expect(second.decision == .joined(flight, priority: .high))
        #expect(join("a", .normal, in: &table).decision == .joined(flight, priority: nil))
        check(table.leave(second.waiter), .resume(flight, priority: .normal))
        #expect(table.priority(of: flight) == .normal)
        #expect(table.brokenInvariant == nil)
    }

    @Test func raisedWaiter_raisesFlight_whenHighest() {
        var table = Table()
        let first = join("a", .normal, in: &table)
        let second = join("a", .normal, in: &table)
        let flight = flight(first.decision)
        check(table.setPriority(.low, of: first.waiter), nil)
        check(table.setPriority(.low, of: second.waiter), .low)
        check(table.setPriority(.veryHigh, of: first.waiter), .veryHigh)
        check(table.setPriority(.veryHigh, of: first.waiter), nil)
        check(table.leave(first.waiter), .resume(flight, priority: .low))
        check(table.setPriority(.high, of: first.waiter), nil)
        #expect(table.brokenInvariant == nil)
    }
}

extension FlightTable {
    /// Ends a flight. Returns the callers to resume.
    mutating func ended(_ flight: FlightID) -> [Waiter] {
        var served: [Waiter] = []
        serve(flight).forEach { served.append($0) }
        remove(flight)
        return served
    }
}
