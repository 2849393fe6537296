import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The table against a model that is a plain list of flights.
@Suite(.ownThreads) struct FlightTableFuzzTests {
    private typealias Table = FlightTable<String, Int>

    /// Every order of every event, up to a depth.
    @Test func allShortHistories_agreeWithModel() {
        var visited = 0
        explore(Table(), Model(), depth: 5, &visited)
        #expect(visited > 10_000)
    }

    @Test func longRandomHistories_agreeWithModel() {
        var random = SeededRandom(seed: Fuzz.seed)
        let context = "ALCEDO_FUZZ_SEED=\(Fuzz.seed)"
        var table = Table()
        var model = Model()
        for _ in 0..<Fuzz.steps {
            let events = Event.all(for: model)
            step(&table, &model, events[Int(random.next() % UInt64(events.count))], context)
            if Bool.random(using: &random), model.flights.count > 8, let oldest = model.flights.first {
                step(&table, &model, .end(oldest.id), context)
            }
        }
        #expect(table.flightCount == model.flights.count)
    }

    private func explore(_ table: Table, _ model: Model, depth: Int, _ visited: inout Int) {
        guard depth > 0 else { return }
        for event in Event.all(for: model) {
            var (table, model) = (table, model)
            step(&table, &model, event, "")
            visited += 1
            explore(table, model, depth: depth - 1, &visited)
        }
    }

    // MARK: The model

    /// The newest open flight of a key is joined.
    private struct Model {
        struct Flight {
            let key: String
            let id: FlightID
            var waiters: [(id: Table.WaiterID, number: Int, priority: RequestPriority)]
            var isOpen = true
            var held: RequestPriority?

            var priority: RequestPriority { waiters.map(\.priority).max() ?? .veryLow }
        }
        var flights: [Flight] = []
        /// Waiters so far.
        var count = 0
        var gone: [Table.WaiterID] = []
    }

    private enum Event {
        case join(String, RequestPriority)
        case leave(Table.WaiterID)
        case setPriority(Table.WaiterID, RequestPriority)
        case end(FlightID)
        case retire(String)

        static func all(for model: Model) -> [Event] {
            var events: [Event] = [.join("a", .normal), .join("a", .high), .join("b", .low), .retire("a")]
            for waiter in model.flights.flatMap(\.waiters).prefix(3) {
                events += [
                    .leave(waiter.id), .setPriority(waiter.id, .veryLow), .setPriority(waiter.id, .veryHigh),
                ]
            }
            if let gone = model.gone.last { events += [.leave(gone), .setPriority(gone, .high)] }
            return events + model.flights.prefix(3).map { .end($0.id) }
        }
    }

    private func step(_ table: inout Table, _ model: inout Model, _ event: Event, _ context: String) {
        switch event {
        case .join(let key, let priority):
            join(&table, &model, key, priority, context)
        case .leave(let waiter):
            leave(&table, &model, waiter, context)
        case .setPriority(let waiter, let priority):
            let change = table.setPriority(priority, of: waiter)
            guard let at = model.flights.firstIndex(where: { $0.waiters.contains { $0.id == waiter } }),
                let place = model.flights[at].waiters.firstIndex(where: { $0.id == waiter })
            else {
                must(change == nil, context)
                break
            }
            let before = model.flights[at].priority
            model.flights[at].waiters[place].priority = priority
            let after = model.flights[at].priority
            must(change == (before == after ? nil : after), context)
        case .end(let flight):
            let expected = model.flights.first { $0.id == flight }?.waiters ?? []
            must(table.ended(flight) == expected.map(\.number), context)
            model.flights.removeAll { $0.id == flight }
            model.gone += expected.map(\.id)
        case .retire(let key):
            table.retire(key)
            for at in model.flights.indices where model.flights[at].key == key { model.flights[at].isOpen = false }
        }
        must(table.brokenInvariant == nil, "\(table.brokenInvariant ?? "") \(context)")
        for flight in model.flights { must(table.priority(of: flight.id) == flight.priority, context) }
    }

    private func join(
        _ table: inout Table, _ model: inout Model, _ key: String, _ priority: RequestPriority, _ context: String
    ) {
        model.count += 1
        let (waiter, decision) = table.join(key, model.count, priority: priority)
        must(table[waiter] == model.count, context)
        if let open = model.flights.lastIndex(where: { $0.key == key && $0.isOpen }) {
            let before = model.flights[open].priority
            model.flights[open].waiters.append((waiter, model.count, priority))
            let after = model.flights[open].priority
            must(decision == .joined(model.flights[open].id, priority: before == after ? nil : after), context)
        } else if case .start(let flight) = decision {
            must(!model.flights.contains { $0.id == flight }, context)
            model.flights.append(.init(key: key, id: flight, waiters: [(waiter, model.count, priority)]))
        } else {
            must(false, context)
        }
    }

    private func leave(
        _ table: inout Table, _ model: inout Model, _ waiter: Table.WaiterID, _ context: String
    ) {
        let decision = table.leave(waiter)
        guard let at = model.flights.firstIndex(where: { $0.waiters.contains { $0.id == waiter } }) else {
            return must(decision == .unknown, context)
        }
        let before = model.flights[at].priority
        model.flights[at].waiters.removeAll { $0.id == waiter }
        model.gone.append(waiter)
        let (id, after) = (model.flights[at].id, model.flights[at].priority)
        if !model.flights[at].waiters.isEmpty {
            must(decision == .resume(id, priority: before == after ? nil : after), context)
        } else {
            must(decision == .resumeAndCancel(id), context)
            model.flights[at].isOpen = false
        }
    }
}
