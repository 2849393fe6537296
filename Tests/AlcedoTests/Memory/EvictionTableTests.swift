import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite struct EvictionTableTests {
    private typealias Table = EvictionTable<Int, String>

    @Test func whatWasStored_isFound() {
        var table = Table(costLimit: 10)
        check(table.store("a", cost: 4, for: 1), true)
        check(table.lookUp(1), "a")
        check(table.lookUp(2), nil)
        check(table.store("b", cost: 5, for: 1), true)
        check(table.lookUp(1), "b")
        #expect(table.totalCost == 5)
        #expect(table.brokenInvariant == nil)
    }

    @Test func theCosts_neverExceedTheLimit() {
        var table = Table(costLimit: 10)
        for key in 0..<100 {
            check(table.store("\(key)", cost: 1 + key % 7, for: key), true)
            #expect(table.totalCost <= 10)
        }
        #expect(table.brokenInvariant == nil)
    }

    @Test func oneThatCostsMoreThanTheLimit_isNotTaken_andItsOldOneGoes() {
        var table = Table(costLimit: 10)
        _ = table.store("old", cost: 1, for: 1)
        check(table.store("new", cost: 11, for: 1), false)
        check(table.lookUp(1), nil)
        #expect(table.totalCost == 0)
    }

    @Test(arguments: [0, -5]) func withoutRoom_nothingThatCostsIsKept(limit: Int) {
        var table = Table(costLimit: limit)
        check(table.store("a", cost: 1, for: 1), false)
        check(table.lookUp(1), nil)
    }

    @Test func aNegativeCost_countsAsNone() {
        var table = Table(costLimit: 10)
        check(table.store("a", cost: -100, for: 1), true)
        #expect(table.totalCost == 0)
        #expect(table.brokenInvariant == nil)
    }

    @Test func theHugestCost_isRefused() {
        var table = Table(costLimit: .max)
        check(table.store("a", cost: .max, for: 1), true)
        check(table.store("b", cost: .max, for: 2), true)
        check(table.lookUp(1), nil)
        #expect(table.brokenInvariant == nil)
    }

    @Test func whatIsUsed_staysThroughALongScroll() {
        var table = Table(costLimit: 100)
        for key in 0..<10 { _ = table.store("avatar", cost: 1, for: key) }
        var found = 0
        for photo in 1000..<3000 {
            found += table.lookUp(photo % 10) == nil ? 0 : 1
            if table.lookUp(photo % 10) == nil { _ = table.store("avatar", cost: 1, for: photo % 10) }
            _ = table.store("photo", cost: 10, for: photo)
        }
        #expect(found > 1_900)
    }

    @Test func whatWasOftenUsedOnce_leavesInTheEnd() {
        var table = Table(costLimit: 100)
        for key in 0..<100 { _ = table.store("old", cost: 1, for: key) }
        for _ in 0..<20 { for key in 0..<100 { _ = table.lookUp(key) } }
        for key in 1000..<11_000 { _ = table.store("new", cost: 1, for: key) }
        #expect((0..<100).allSatisfy { table.lookUp($0) == nil })
    }

    @Test func randomHistories_agreeWithADictionary() {
        var random = SeededRandom(seed: 5)
        var table = Table(costLimit: 60)
        var model: [Int: String] = [:]
        for step in 0..<50_000 {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                must((table.remove(key) != nil) == (model.removeValue(forKey: key) != nil) || model[key] == nil)
                model[key] = nil
            case 1 where step.isMultiple(of: 1000):
                table.removeAll()
                model = [:]
            case 2...4:
                if let value = table.lookUp(key) { must(model[key] == value, "a value of another key or time") }
            default:
                let value = "\(key) \(step)"
                model[key] = table.store(value, cost: Int.random(in: 0...12, using: &random), for: key) ? value : nil
            }
            must(table.count <= model.count)
            must(table.brokenInvariant == nil, table.brokenInvariant ?? "")
        }
    }
}
