import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite struct FlightTableTests {
    private typealias Table = FlightTable<String>

    /// Joins as a new waiter.
    private func join(_ key: String, in table: inout Table) -> (waiter: Table.WaiterID, decision: Table.Join) {
        let waiter = table.makeWaiter()
        return (waiter, table.join(key, as: waiter))
    }

    private func flight(_ decision: Table.Join) -> Table.FlightID {
        switch decision {
        case .start(let flight), .joined(let flight): flight
        }
    }

    @Test func firstCaller_starts_andTheNextJoinItsFlight() {
        var table = Table()
        let first = join("a", in: &table)
        let second = join("a", in: &table)
        let other = join("b", in: &table)
        #expect(first.decision == .start(flight(first.decision)))
        #expect(second.decision == .joined(flight(first.decision)))
        #expect(other.decision == .start(flight(other.decision)))
        #expect(flight(other.decision) != flight(first.decision))
        #expect(table.waiterCount(of: "a") == 2)
        #expect(table.brokenInvariant == nil)
    }

    @Test func end_resumesAllOnce_inTheOrderTheyCame() {
        var table = Table()
        let waiters = (0..<100).map { _ in join("a", in: &table) }
        let flight = flight(waiters[0].decision)
        check(table.end(flight), waiters.map(\.waiter))
        check(table.end(flight), [])
        for waiter in waiters { check(table.leave(waiter.waiter), .unknown) }
        #expect(table.flightCount == 0)
        #expect(table.brokenInvariant == nil)
    }

    @Test func lastWaiterLeaving_cancelsTheFlight() {
        var table = Table()
        let first = join("a", in: &table)
        let second = join("a", in: &table)
        check(table.leave(first.waiter), .resume)
        check(table.leave(first.waiter), .unknown)
        check(table.leave(second.waiter), .resumeAndCancel(flight(first.decision)))
        check(table.leave(second.waiter), .unknown)
        #expect(table.brokenInvariant == nil)
    }

    @Test func joiningACancelledFlight_startsANewGeneration() {
        var table = Table()
        let first = join("a", in: &table)
        _ = table.leave(first.waiter)
        let second = join("a", in: &table)
        #expect(second.decision == .start(flight(second.decision)))
        // The cancelled one winds down and reaches no one.
        #expect(table.flightCount == 2)
        check(table.end(flight(first.decision)), [])
        #expect(table.waiterCount(of: "a") == 1)
        check(table.end(flight(second.decision)), [second.waiter])
        #expect(table.brokenInvariant == nil)
    }

    @Test func retiredFlight_servesItsWaiters_andTakesNoMore() {
        var table = Table()
        let early = join("a", in: &table)
        table.retire("a")
        let late = join("a", in: &table)
        #expect(flight(late.decision) != flight(early.decision))
        check(table.end(flight(early.decision)), [early.waiter])
        #expect(table.waiterCount(of: "a") == 1)
        check(table.leave(late.waiter), .resumeAndCancel(flight(late.decision)))
        #expect(table.brokenInvariant == nil)
    }

    @Test func retiredFlight_isCancelledByItsLastWaiter_andLeavesTheNewOneAlone() {
        var table = Table()
        let early = join("a", in: &table)
        table.retireAll()
        let late = join("a", in: &table)
        check(table.leave(early.waiter), .resumeAndCancel(flight(early.decision)))
        let later = join("a", in: &table)
        #expect(later.decision == .joined(flight(late.decision)))
        #expect(table.brokenInvariant == nil)
    }

    @Test func anUnknownWaiterOrFlight_changesNothing() {
        var table = Table()
        var other = Table()
        let known = join("a", in: &table)
        _ = join("x", in: &other)
        let foreign = join("y", in: &other)
        check(table.leave(foreign.waiter), .unknown)
        check(table.end(flight(foreign.decision)), [])
        let stranger = table.makeWaiter()
        check(table.leave(stranger), .unknown)
        #expect(table.waiterCount(of: "a") == 1)
        check(table.leave(known.waiter), .resumeAndCancel(flight(known.decision)))
    }

    /// Every order of every event, up to a depth, against a model that knows nothing of tables.
    @Test func allShortHistories_agreeWithTheModel() {
        var visited = 0
        explore(Table(), Model(), depth: 6, &visited)
        #expect(visited > 10_000)
    }

    @Test func longRandomHistories_agreeWithTheModel() {
        var random = SeededRandom(seed: 1)
        var table = Table()
        var model = Model()
        for _ in 0..<50_000 {
            let events = Event.all(for: model)
            step(&table, &model, events[Int(random.next() % UInt64(events.count))])
            if Bool.random(using: &random), model.flights.count > 8 { endOldest(&table, &model) }
        }
        #expect(table.flightCount == model.flights.count)
    }

    // MARK: The model

    /// A flight as a plain list entry; the newest open one of a key is joined.
    private struct Model {
        struct Flight {
            let key: String
            let id: Table.FlightID
            var waiters: [Table.WaiterID]
            var isOpen = true
        }
        var flights: [Flight] = []
        var gone: [Table.WaiterID] = []
    }

    private enum Event {
        case join(String), leave(Table.WaiterID), end(Table.FlightID), retire(String), retireAll

        static func all(for model: Model) -> [Event] {
            var events: [Event] = [.join("a"), .join("b"), .retire("a"), .retireAll]
            events += model.flights.flatMap(\.waiters).prefix(3).map(Event.leave)
            events += model.gone.suffix(1).map(Event.leave)
            events += model.flights.prefix(3).map { .end($0.id) }
            return events
        }
    }

    private func explore(_ table: Table, _ model: Model, depth: Int, _ visited: inout Int) {
        guard depth > 0 else { return }
        for event in Event.all(for: model) {
            var (table, model) = (table, model)
            step(&table, &model, event)
            visited += 1
            explore(table, model, depth: depth - 1, &visited)
        }
    }

    private func endOldest(_ table: inout Table, _ model: inout Model) {
        if let oldest = model.flights.first { step(&table, &model, .end(oldest.id)) }
    }

    private func step(_ table: inout Table, _ model: inout Model, _ event: Event) {
        switch event {
        case .join(let key):
            let (waiter, decision) = join(key, in: &table)
            if let open = model.flights.lastIndex(where: { $0.key == key && $0.isOpen }) {
                must(decision == .joined(model.flights[open].id))
                model.flights[open].waiters.append(waiter)
            } else {
                must(decision == .start(flight(decision)))
                must(!model.flights.contains { $0.id == flight(decision) })
                model.flights.append(.init(key: key, id: flight(decision), waiters: [waiter]))
            }
        case .leave(let waiter):
            let decision = table.leave(waiter)
            guard let at = model.flights.firstIndex(where: { $0.waiters.contains(waiter) }) else {
                must(decision == .unknown)
                break
            }
            model.flights[at].waiters.removeAll { $0 == waiter }
            model.gone.append(waiter)
            if model.flights[at].waiters.isEmpty {
                model.flights[at].isOpen = false
                must(decision == .resumeAndCancel(model.flights[at].id))
            } else {
                must(decision == .resume)
            }
        case .end(let flight):
            let expected = model.flights.first { $0.id == flight }?.waiters ?? []
            must(table.end(flight) == expected)
            model.flights.removeAll { $0.id == flight }
            model.gone += expected
        case .retire(let key):
            table.retire(key)
            for at in model.flights.indices where model.flights[at].key == key { model.flights[at].isOpen = false }
        case .retireAll:
            table.retireAll()
            for at in model.flights.indices { model.flights[at].isOpen = false }
        }
        must(table.brokenInvariant == nil, table.brokenInvariant ?? "")
    }
}
