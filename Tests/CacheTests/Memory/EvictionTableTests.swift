import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct EvictionTableTests {
    private typealias Table = EvictionTable<NumberKey, String>

    private func table(cost: Int = .max, count: Int = .max, entryCost: Int = .max) -> Table {
        Table(limits: EvictionLimits(cost: cost, count: count, entryCost: entryCost))
    }

    private func filled(_ count: Int, cost: Int = 1, limit: Int = .max) -> Table {
        var table = table(cost: limit)
        for number in 0..<count { _ = table.store("\(number)", cost: cost, for: NumberKey(number)) }
        return table
    }

    @Test func storedEntry_isFound() {
        var table = table(cost: 10)
        check(table.outcome(ofStoring: "a", cost: 4, for: 1).isTaken, true)
        check(table.lookUp(1, now: .zero), "a")
        check(table.lookUp(2, now: .zero), nil)
        let outcome = table.outcome(ofStoring: "b", cost: 5, for: 1)
        #expect(outcome.isTaken)
        #expect(outcome.departures.map(\.value) == ["a"])
        #expect(outcome.departures.reasons == [.replaced])
        check(table.lookUp(1, now: .zero), "b")
        #expect(table.totalCost == 5)
        #expect(table.counts.hits == 2 && table.counts.misses == 1 && table.counts.stores == 2)
        #expect(table.brokenInvariant == nil)
    }

    @Test func costs_neverExceedLimit() {
        var table = table(cost: 10)
        for key in 0..<100 {
            check(table.outcome(ofStoring: "\(key)", cost: 1 + key % 7, for: NumberKey(key)).isTaken, true)
            #expect(table.totalCost <= 10)
        }
        #expect(table.brokenInvariant == nil)
        #expect(table.counts[.cost] == 100 - table.count)
    }

    @Test func entries_areNoMoreThanTheirLimit() {
        var table = table(count: 3)
        for key in 0..<10 { _ = table.store("\(key)", cost: 0, for: NumberKey(key)) }
        #expect(table.count == 3)
        #expect(table.counts[.count] == 7)
        let last = table.outcome(ofStoring: "last", cost: 0, for: 100)
        #expect(last.departures.reasons == [.count])
    }

    @Test func oversizedEntry_isRejected_andRemovesOldValue() {
        for var table in [table(cost: 10), table(entryCost: 10)] {
            _ = table.store("old", cost: 1, for: 1)
            let outcome = table.outcome(ofStoring: "new", cost: 11, for: 1)
            #expect(!outcome.isTaken)
            #expect(outcome.departures.map(\.value) == ["old"])
            check(table.lookUp(1, now: .zero), nil)
            #expect(table.totalCost == 0)
        }
    }

    @Test func largerValueOfKey_makesRoomAmongOthers() {
        var table = filled(10, limit: 10)
        let outcome = table.outcome(ofStoring: "large", cost: 8, for: 4)
        #expect(outcome.isTaken)
        #expect(outcome.departures.reasons == [.replaced] + Array(repeating: .cost, count: 7))
        #expect(!outcome.departures.contains { $0.value == "large" })
        check(table.lookUp(4, now: .zero), "large")
        #expect(table.totalCost == 10)
        #expect(table.brokenInvariant == nil)
    }

    @Test func usedEntries_surviveLongScroll() {
        var table = table(cost: 100)
        for key in 0..<10 { _ = table.store("avatar", cost: 1, for: NumberKey(key)) }
        var found = 0
        for photo in 1000..<3000 {
            let avatar = NumberKey(photo % 10)
            if table.lookUp(avatar, now: .zero) != nil {
                found += 1
            } else {
                _ = table.store("avatar", cost: 1, for: avatar)
            }
            _ = table.store("photo", cost: 10, for: NumberKey(photo))
        }
        #expect(found > 1_900)
    }

    @Test func formerlyPopularEntry_isEventuallyEvicted() {
        var table = filled(100, limit: 100)
        for _ in 0..<20 { for key in 0..<100 { _ = table.lookUp(NumberKey(key), now: .zero) } }
        for key in 1000..<11_000 { _ = table.store("new", cost: 1, for: NumberKey(key)) }
        #expect((0..<100).allSatisfy { !table.contains(NumberKey($0), now: .zero) })
    }

    // MARK: Time

    @Test func expiredEntry_isNotFound_andRemainsUntilRemoved() {
        var table = table()
        _ = table.store("short", cost: 1, for: 1, expiry: .seconds(10), now: .seconds(1))
        _ = table.store("long", cost: 1, for: 2, expiry: .seconds(20), now: .seconds(1))
        _ = table.store("ever", cost: 1, for: 3)
        #expect(table.earliestExpiry == .seconds(10))
        check(table.lookUp(1, now: .seconds(9)), "short")
        check(table.lookUp(1, now: .seconds(10)), nil)
        #expect(!table.contains(1, now: .seconds(10)) && table.contains(2, now: .seconds(10)))
        #expect(table.count == 3)
        #expect(table.removeExpired(now: .seconds(9)).isEmpty)
        let gone = table.removeExpired(now: .seconds(10))
        #expect(gone.map(\.value) == ["short"] && gone.reasons == [.expired])
        #expect(table.earliestExpiry == .seconds(20))
        #expect(table.removeExpired(now: .seconds(1_000_000)).count == 1)
        #expect(table.earliestExpiry == nil)
        check(table.lookUp(3, now: .seconds(1_000_000)), "ever")
    }

    @Test func expiredNewEntry_isRejected_andRemovesOldValue() {
        var table = table()
        _ = table.store("old", cost: 1, for: 1)
        let outcome = table.outcome(ofStoring: "new", cost: 1, for: 1, expiry: .seconds(-5), now: .zero)
        #expect(!outcome.isTaken)
        #expect(outcome.departures.reasons == [.replaced])
        #expect(table.count == 0)
        #expect(table.earliestExpiry == nil)
    }

    @Test func clockThatGoesBack_makesEntryValidAgain() {
        var table = table()
        _ = table.store("a", cost: 1, for: 1, expiry: .seconds(10), now: .seconds(5))
        check(table.lookUp(1, now: .seconds(11)), nil)
        check(table.lookUp(1, now: .seconds(-100)), "a")
        #expect(table.removeExpired(now: .seconds(-100)).isEmpty)
    }

    @Test func newValueWithoutExpiry_doesNotExpire() {
        var table = table()
        _ = table.store("a", cost: 1, for: 1, expiry: .seconds(10), now: .zero)
        _ = table.store("b", cost: 1, for: 1)
        check(table.lookUp(1, now: .seconds(11)), "b")
        #expect(table.removeExpired(now: .seconds(11)).isEmpty)
    }

    @Test func clock_isReadForExpiringEntriesOnly() {
        var table = table()
        var readings = 0
        func now() -> Duration {
            readings += 1
            return .zero
        }
        _ = table.store("ever", cost: 1, for: 1, now: now())
        check(table.lookUp(1, now: now()), "ever")
        check(table.lookUp(7, now: now()), nil)
        #expect(readings == 0)
        _ = table.store("short", cost: 1, for: 2, expiry: .seconds(1), now: now())
        check(table.lookUp(2, now: now()), "short")
        #expect(readings == 2)
    }

    // MARK: Less

    @Test func smallerLimits_evictExcess() {
        var table = filled(10, cost: 3)
        check(table.setLimits(EvictionLimits(cost: 20)).reasons, Array(repeating: .cost, count: 4))
        check(table.setLimits(EvictionLimits(cost: 20, count: 2)).reasons, Array(repeating: .count, count: 4))
        check(table.setLimits(EvictionLimits(cost: 20, count: 2, entryCost: 2)).reasons, [.cost, .cost])
        #expect(table.brokenInvariant == nil)
        #expect(table.setLimits(EvictionLimits(cost: 100)).isEmpty)
        check(table.outcome(ofStoring: "a", cost: 100, for: 1).isTaken, true)
    }

    @Test func removals_removeMatchingEntries() {
        var table = filled(20)
        #expect(table.remove(3)?.value == "3")
        #expect(table.remove(3) == nil)
        let odd = table.removeAll { key, entry in key.number % 2 == 1 && entry.value != "5" }
        #expect(Set(odd.map(\.key.number)) == [1, 7, 9, 11, 13, 15, 17, 19])
        var left: Set<Int> = []
        table.forEach { key, entry in left.insert(entry.cost == 1 ? key.number : -1) }
        #expect(left == [0, 2, 4, 5, 6, 8, 10, 12, 14, 16, 18])
        #expect(table.counts[.removed] == 9)
        #expect(table.removeAll().count == 11)
        #expect(table.brokenInvariant == nil)
    }

    // MARK: Bad input

    @Test(arguments: [0, -5, .min]) func zeroLimit_holdsNothing(limit: Int) {
        for var table in [table(cost: limit), table(count: limit), table(entryCost: limit)] {
            for cost in [0, 1, -1] { check(table.outcome(ofStoring: "a", cost: cost, for: 1).isTaken, false) }
            check(table.lookUp(1, now: .zero), nil)
        }
        for limits in [
            EvictionLimits(cost: limit), EvictionLimits(cost: 9, count: limit),
            EvictionLimits(cost: 9, entryCost: limit),
        ] {
            var table = filled(3, cost: 0)
            #expect(table.setLimits(limits).count == 3)
            #expect(table.brokenInvariant == nil)
        }
    }

    @Test func negativeCost_countsAsNone() {
        var table = table(cost: 10)
        check(table.outcome(ofStoring: "a", cost: -100, for: 1).isTaken, true)
        check(table.outcome(ofStoring: "b", cost: .min, for: 2).isTaken, true)
        #expect(table.totalCost == 0)
        #expect(table.brokenInvariant == nil)
    }

    @Test func largestCosts_doNotOverflow() {
        var table = table()
        check(table.outcome(ofStoring: "a", cost: .max, for: 1).isTaken, true)
        let second = table.outcome(ofStoring: "b", cost: .max, for: 2)
        #expect(second.isTaken && second.departures.reasons == [.cost])
        check(table.lookUp(1, now: .zero), nil)
        check(table.outcome(ofStoring: "c", cost: .max - 1, for: 2).isTaken, true)
        check(table.outcome(ofStoring: "d", cost: 1, for: 3).isTaken, true)
        #expect(table.totalCost == .max && table.count == 2)
        #expect(table.brokenInvariant == nil)
    }

    @Test func keysOfAGroup_areDistinguished_andRemovedTogether() {
        var table = EvictionTable<NumberKey, Int>(limits: EvictionLimits(cost: 200))
        for number in 0..<200 { _ = table.store(number, cost: 1, for: NumberKey(number, groups: 2)) }
        for number in 0..<200 { check(table.lookUp(NumberKey(number, groups: 2), now: .zero), number) }
        check(table.lookUp(NumberKey(200, groups: 2), now: .zero), nil)
        for number in stride(from: 0, to: 200, by: 3) { table.remove(NumberKey(number, groups: 2)) }
        #expect(table.brokenInvariant == nil)
        for number in 0..<200 { #expect(table.contains(NumberKey(number, groups: 2), now: .zero) == (number % 3 != 0)) }
        #expect(table.removeAll(of: 1) { $0 > 100 }.count == 34)
        #expect(table.removeAll(of: 1).count == 33 && table.removeAll(of: 1).isEmpty && table.count == 66)
        #expect(table.brokenInvariant == nil)
    }

    @Test func emptiedTable_worksAsBefore() {
        var table = filled(10_000)
        for number in 0..<9_990 { table.remove(NumberKey(number)) }
        #expect(table.brokenInvariant == nil)
        #expect((9_990..<10_000).allSatisfy { table.contains(NumberKey($0), now: .zero) })
        for number in 0..<100 { _ = table.store("again", cost: 1, for: NumberKey(number)) }
        #expect(table.count == 110)
        #expect(table.brokenInvariant == nil)
    }
}
