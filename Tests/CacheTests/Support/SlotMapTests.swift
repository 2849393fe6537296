import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct SlotMapTests {
    @Test func id_findsItsOwnValueOnly() {
        var ids = SlotIDs()
        var map = SlotMap<String>()
        let first = ids.take()
        check(map[first], nil)
        map[first] = "a"
        check(map[first], "a")
        check(map.remove(first), "a")
        check(map.remove(first), nil)
        ids.giveBack(first)
        let second = ids.take()
        #expect(second != first)
        map[second] = "b"
        check(map[first], nil)
        map[first] = nil
        check(map.remove(first), nil)
        check(map[second], "b")
        check(map.count, 1)
    }

    @Test func value_isMutatedInPlace_withoutCopy() {
        var ids = SlotIDs()
        var map = SlotMap<[Int]>()
        let id = ids.take()
        map[id] = Array(0..<100)
        let before = map[id]?.withUnsafeBufferPointer { $0.baseAddress }
        check(map.modify(id) { $0[3] = -3 } != nil, true)
        check(map[id]?[3], -3)
        check(map[id]?.withUnsafeBufferPointer { $0.baseAddress }, before)
        ids.giveBack(id)
        map.remove(id)
        check(map.modify(id) { $0.count }, nil)
    }

    @Test func randomSteps_agreeWithDictionary() {
        var random = SeededRandom(seed: 7)
        var ids = SlotIDs()
        var map = SlotMap<Int>()
        var model: [SlotID: Int] = [:]
        var gone: [SlotID] = []
        for step in 0..<20_000 {
            // Grows to some hundred and shrinks to none, in turn.
            if Int.random(in: 0..<10, using: &random) < (step / 1_000 % 2 == 0 ? 7 : 3) {
                let id = ids.take()
                check(model[id], nil)
                model[id] = step
                map[id] = step
            } else if let id = model.keys.randomElement(using: &random) {
                check(map.remove(id), model.removeValue(forKey: id))
                ids.giveBack(id)
                gone.append(id)
            }
            check(map.count, model.count)
            if let id = gone.randomElement(using: &random) { check(map[id], nil) }
            if let (id, value) = model.randomElement(using: &random) { check(map[id], value) }
        }
        check(Dictionary(uniqueKeysWithValues: map.contents.map { ($0.id, $0.value) }), model)
    }
}
