import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The table against a model that is a plain dictionary: it knows what may be there, and the rules for what must go.
@Suite(.ownThreads) struct EvictionTableFuzzTests {
    /// Few keys in fewer groups, looked through after each step.
    @Test func smallTables_agreeWithModel() {
        var run = Run(seed: Fuzz.seed, keys: 64, groups: 24)
        for step in 0..<Fuzz.steps {
            run.step()
            run.verify("ALCEDO_FUZZ_SEED=\(Fuzz.seed), small, step \(step)")
        }
    }

    /// Many keys, looked through now and then.
    @Test func largeTables_agreeWithModel() {
        var run = Run(seed: Fuzz.seed &+ 1, keys: 20_000, groups: .max)
        for step in 0..<max(10_000, Fuzz.steps) {
            run.step()
            if step.isMultiple(of: 1_000) { run.verify("ALCEDO_FUZZ_SEED=\(Fuzz.seed), large, step \(step)") }
        }
    }

    private struct Run {
        private struct Item: Equatable {
            let value: Int
            let cost: Int
            let expiry: Duration?
        }

        private typealias Table = EvictionTable<NumberKey, Int>

        private let keys: Int
        private let groups: Int
        private var random: SeededRandom
        private var table: Table
        private var model: [NumberKey: Item] = [:]
        private var counts: [EvictionReason: Int] = [:]
        private var now = Duration.zero
        private var made = 0

        init(seed: UInt64, keys: Int, groups: Int) {
            self.keys = keys
            self.groups = groups
            random = SeededRandom(seed: seed)
            table = Table(limits: EvictionLimits(cost: keys * 4))
        }

        mutating func step() {
            let key = NumberKey(number(below: keys), groups: groups)
            switch number(below: 100) {
            case ..<45: store(key)
            case ..<80: lookUp(key)
            case ..<90: remove(key)
            // Now and then it goes back.
            case ..<96: now += .seconds(number(below: 20) - 4)
            case 96: expire()
            // What clears a table is rarer, the more there is to build up.
            default: if number(below: keys) < 64 { shrink() }
            }
        }

        /// Everything about the table and the model.
        mutating func verify(_ context: String) {
            must(table.brokenInvariant == nil, "\(table.brokenInvariant ?? "") \(context)")
            must(table.count == model.count, "another number of entries: \(context)")
            must(table.totalCost == model.values.reduce(0) { $0 + $1.cost }, "another sum of costs: \(context)")
            table.forEach { key, entry in
                must(model[key]?.value == entry.value && model[key]?.cost == entry.cost, "\(key) differs: \(context)")
            }
            for reason in EvictionReason.allCases {
                must(table.counts[reason] == counts[reason] ?? 0, "\(reason) was miscounted: \(context)")
            }
        }

        private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        private mutating func store(_ key: NumberKey) {
            made += 1
            let cost = number(below: 50) == 0 ? [Int.min, -1, .max][number(below: 3)] : number(below: 12)
            let expiry = number(below: 4) == 0 ? now + .seconds(number(below: 60) - 5) : nil
            let isLive = expiry.map { $0 > now } ?? true
            let old = model[key]
            let outcome = table.outcome(ofStoring: made, cost: cost, for: key, expiry: expiry, now: now)
            must(outcome.isTaken == (isLive && admits(max(0, cost))), "\(key) of \(cost)")
            leave(outcome.departures, [.cost, .count, .replaced])
            must(model[key] == nil, "what was under the key has to go")
            let replaced = outcome.departures.filter { $0.reason == .replaced }
            must(replaced.map(\.value) == (old.map { [$0.value] } ?? []), "only what was under the key is replaced")
            if outcome.isTaken { model[key] = Item(value: made, cost: max(0, cost), expiry: expiry) }
            // Nothing is evicted that need not be: without the last to go there would have been no room.
            if let last = outcome.departures.last, last.reason != .replaced {
                let broken =
                    last.reason == .cost
                    ? table.totalCost - max(0, cost) > limits.cost - max(0, cost) - last.cost
                    : model.count == limits.count
                must(broken, "\(last.key) could have stayed")
            }
        }

        private mutating func lookUp(_ key: NumberKey) {
            let item = model[key].flatMap { item in item.expiry.map { now < $0 } ?? true ? item : nil }
            must(table.contains(key, now: now) == (item != nil), "\(key) is there")
            must(table.lookUp(key, now: now) == item?.value, "\(key) is \(item?.value ?? -1)")
        }

        private mutating func remove(_ key: NumberKey) {
            let item = model[key]
            let departed = table.remove(key)
            must(departed?.value == item?.value, "\(key) was \(item?.value ?? -1)")
            leave(departed.map { [$0] } ?? [], [.removed])
        }

        private mutating func expire() {
            let over = model.filter { $0.value.expiry.map { $0 <= now } ?? false }.map(\.key)
            let gone = table.removeExpired(now: now)
            must(Set(gone.map(\.key)) == Set(over), "not all, or more than had expired")
            leave(gone, [.expired])
        }

        private mutating func shrink() {
            switch number(below: 8) {
            case 0...2:
                var gone: [Departed<NumberKey, Int>] = []
                for _ in 0..<number(below: keys) {
                    if let one = table.evictOne(.trim) { gone.append(one) }
                }
                leave(gone, [.trim])
            case 3:
                let part = number(below: 10)
                let expected = model.filter { $0.key.number % 10 == part }.map(\.key)
                let gone = table.removeAll { key, _ in key.number % 10 == part }
                must(Set(gone.map(\.key)) == Set(expected), "not all, or others")
                leave(gone, [.removed])
            case 4 where number(below: 10) == 0:
                leave(table.removeAll(), [.removed])
                must(model.isEmpty, "something stayed")
            default:
                let cost = number(below: 20) == 0 ? number(below: 3) - 1 : number(below: keys * 8)
                let count = number(below: 4) == 0 ? number(below: keys) - 1 : Int.max
                let entry = number(below: 8) == 0 ? number(below: 12) - 1 : Int.max
                limits = EvictionLimits(cost: cost, count: count, entryCost: entry)
                leave(table.setLimits(limits), [.cost, .count])
                must(table.totalCost <= limits.cost && table.count <= limits.count, "the new limits are exceeded")
            }
        }

        private lazy var limits = table.limits

        private mutating func admits(_ cost: Int) -> Bool {
            limits.cost > 0 && limits.count > 0 && limits.entryCost > 0 && cost <= limits.cost
                && cost <= limits.entryCost
        }

        private mutating func leave(_ gone: [Departed<NumberKey, Int>], _ reasons: Set<EvictionReason>) {
            for departed in gone {
                let item = model.removeValue(forKey: departed.key)
                must(
                    item?.value == departed.value && item?.cost == departed.cost,
                    "\(departed.key) left, but was not there")
                must(reasons.contains(departed.reason), "\(departed.key) left for \(departed.reason)")
                counts[departed.reason, default: 0] += 1
            }
        }
    }
}
