import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.ownThreads) struct ArrivalTableTests {
    private typealias Arrivals = ArrivalTable<String>

    @Test func flight_isHeld_forHandlesAnnouncedForItsKey() {
        var arrivals = Arrivals()
        check(arrivals.hold("a"), nil)
        let first = arrivals.announce("a", .low)
        _ = arrivals.announce("b", .veryHigh)
        check(arrivals.hold("a"), .low)
        let second = arrivals.announce("a", .high)
        check(arrivals.hold("a"), .high)
        arrivals.join(first, "a")
        arrivals.join(second, "a")
        check(arrivals.hold("a"), nil)
        #expect(arrivals.count == 1)
        #expect(arrivals.brokenInvariant == nil)
    }

    @Test func lastWithdrawal_givesUpHeldFlight() {
        var arrivals = Arrivals()
        let ids = (0..<3).map { _ in arrivals.announce("a", .normal) }
        check(arrivals.withdraw(ids[0]), nil)
        _ = arrivals.hold("a")
        check(arrivals.withdraw(ids[1]), nil)
        check(arrivals.withdraw(ids[2]), "a")
        check(arrivals.withdraw(ids[2]), nil)
        let later = arrivals.announce("a", .normal)
        check(arrivals.withdraw(later), nil)
        #expect(arrivals.count == 0)
    }

    @Test func askingWhoIsExpected_holdsNoFlight() {
        var arrivals = Arrivals()
        check(arrivals.isExpected("a"), false)
        let id = arrivals.announce("a", .normal)
        check(arrivals.isExpected("a"), true)
        check(arrivals.isExpected("b"), false)
        check(arrivals.withdraw(id), nil)
        check(arrivals.isExpected("a"), false)
    }

    @Test func joiningAnotherKey_changesNothing() {
        var arrivals = Arrivals()
        let id = arrivals.announce("a", .normal)
        arrivals.join(id, "b")
        check(arrivals.hold("a"), .normal)
        arrivals.join(id, "a")
        check(arrivals.withdraw(id), nil)
        check(arrivals.hold("a"), nil)
    }

    @Test func manyKeys_areAllFound_asTheTableGrowsAndShrinks() {
        var random = SeededRandom(seed: Fuzz.seed)
        var arrivals = Arrivals()
        let ids = (0..<600).map { (id: arrivals.announce("\($0 % 200)", .normal), key: "\($0 % 200)") }
        must(arrivals.brokenInvariant == nil, arrivals.brokenInvariant ?? "")
        var counts = [String: Int](uniqueKeysWithValues: (0..<200).map { ("\($0)", 3) })
        for (id, key) in ids.shuffled(using: &random) {
            must(arrivals.isExpected(key), "\(key) isn't found")
            let isHeld = Bool.random(using: &random) && arrivals.hold(key) != nil
            counts[key, default: 0] -= 1
            let left = arrivals.withdraw(id)
            must(counts[key] == 0 || left == nil, "\(key) is given up early")
            must(!isHeld || counts[key] != 0 || left == key, "\(key) isn't given up")
            must(arrivals.brokenInvariant == nil, arrivals.brokenInvariant ?? "")
        }
        #expect(arrivals.count == 0)
    }

    /// Both tables as the actors use them: no flight runs unless somebody waits, is announced or is about to release
    /// it.
    @Test func randomHistories_leaveNoFlightAlone() {
        var random = SeededRandom(seed: Fuzz.seed)
        var run = Run()
        for _ in 0..<Fuzz.steps {
            run.step(&random)
            must(run.problem == nil, "\(run.problem ?? "") ALCEDO_FUZZ_SEED=\(Fuzz.seed)")
        }
        run.finish()
        must(run.problem == nil && run.isOver, "\(run.problem ?? "") ALCEDO_FUZZ_SEED=\(Fuzz.seed)")
    }

    private struct Run {
        typealias Flights = FlightTable<String, Int>

        var flights = Flights()
        var arrivals = Arrivals()
        /// Handles that were returned and whose Tasks have not come.
        var announced: [(id: ArrivalID, key: String)] = []
        var waiters: [Flights.WaiterID] = []
        /// What was decided under the lock and has not come to the actor.
        var releases: [String] = []
        var running: [(id: Flights.FlightID, key: String)] = []

        mutating func step(_ random: inout SeededRandom) {
            let key = ["a", "b"][Int.random(in: 0..<2, using: &random)]
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: if announced.count < 6 { announced.append((arrivals.announce(key, .normal), key)) }
            case 2:
                guard let handle = Self.take(&announced, &random) else { return }
                join(handle.key)
                arrivals.join(handle.id, handle.key)
            case 3: if let handle = Self.take(&announced, &random) { withdraw(handle.id) }
            case 4: if waiters.count < 6 { join(key) }
            case 5, 6: if let waiter = Self.take(&waiters, &random) { leave(waiter) }
            case 7: if let key = Self.take(&releases, &random) { cancel(flights.release(key)) }
            default: if Bool.random(using: &random) { end(&random) } else { cancel(flights.retire(key)) }
            }
        }

        /// Everyone goes.
        mutating func finish() {
            while let waiter = waiters.popLast() { leave(waiter) }
            while let handle = announced.popLast() { withdraw(handle.id) }
            while let key = releases.popLast() { cancel(flights.release(key)) }
        }

        var isOver: Bool { running.isEmpty && flights.flightCount == 0 && arrivals.count == 0 }

        var problem: String? {
            let alone = running.first { flight in
                !waiters.contains { $0.flight == flight.id } && !announced.contains { $0.key == flight.key }
                    && !releases.contains(flight.key)
            }
            if alone != nil { return "a flight runs for nobody" }
            return flights.brokenInvariant ?? arrivals.brokenInvariant
        }

        private static func take<Element>(_ elements: inout [Element], _ random: inout SeededRandom) -> Element? {
            elements.isEmpty ? nil : elements.remove(at: Int.random(in: 0..<elements.count, using: &random))
        }

        private mutating func join(_ key: String) {
            let (waiter, decision) = flights.join(key, 0)
            waiters.append(waiter)
            if case .start(let flight) = decision { running.append((flight, key)) }
        }

        private mutating func withdraw(_ id: ArrivalID) {
            if let key = arrivals.withdraw(id) { releases.append(key) }
        }

        private mutating func leave(_ waiter: Flights.WaiterID) {
            var arrivals = arrivals
            let decision = flights.leave(waiter) { arrivals.hold($0) }
            self.arrivals = arrivals
            if case .resumeAndCancel(let flight) = decision { cancel(flight) }
        }

        private mutating func cancel(_ flight: Flights.FlightID?) {
            guard let flight else { return }
            running.removeAll { $0.id == flight }
            _ = flights.ended(flight)
        }

        private mutating func end(_ random: inout SeededRandom) {
            guard let flight = Self.take(&running, &random) else { return }
            _ = flights.ended(flight.id)
            waiters.removeAll { $0.flight == flight.id }
        }
    }
}
