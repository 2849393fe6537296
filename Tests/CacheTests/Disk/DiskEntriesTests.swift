import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.ownThreads) struct DiskEntriesTests {
    private func name(_ number: Int) -> EntryName { EntryName(source: UInt64(number / 3), key: UInt64(number)) }

    private func entry(_ number: Int) -> DiskEntries.Entry {
        DiskEntries.Entry(name: name(number), units: UInt32(number), lastUse: 0, expires: 0, tags: 0, version: 1)
    }

    private func order(_ entries: DiskEntries) -> [Int] { entries.order.map { Int(entries[$0].units) } }

    @Test func entry_takes48Bytes() {
        #expect(MemoryLayout<DiskEntries.Entry>.stride == 48)
    }

    @Test func entries_areFoundByName_inOrderOfUse() throws {
        var entries = DiskEntries()
        #expect(entries.place(of: name(1)) == nil && entries.order.isEmpty)
        for number in 1...5 { entries.add(entry(number)) }
        #expect(order(entries) == [1, 2, 3, 4, 5])
        entries.use(at: try #require(entries.place(of: name(2))), now: 9)
        entries.use(at: try #require(entries.place(of: name(1))), now: 10)
        entries.use(at: try #require(entries.place(of: name(1))), now: 11)
        #expect(order(entries) == [3, 4, 5, 2, 1])
        #expect(entries[Int(entries.newest)].lastUse == 11)
        #expect(entries[Int(entries.oldest)].name == name(3))
        entries.remove(at: try #require(entries.place(of: name(5))))
        #expect(order(entries) == [3, 4, 2, 1])
        #expect(entries.place(of: name(5)) == nil)
        #expect(entries.brokenInvariant == nil)
        entries = DiskEntries()
        #expect(entries.count == 0 && entries.oldest == DiskEntries.nowhere && entries.newest == DiskEntries.nowhere)
    }

    /// The last entry moves to the place of the one that goes, wherever both are in the order.
    @Test func anyOfThree_canBeRemoved_inAnyOrder() throws {
        for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
            for gone in 1...3 {
                var entries = DiskEntries()
                for number in 1...3 { entries.add(entry(number)) }
                for number in order { entries.use(at: try #require(entries.place(of: name(number))), now: 1) }
                entries.remove(at: try #require(entries.place(of: name(gone))))
                #expect(self.order(entries) == order.filter { $0 != gone })
                #expect(entries.brokenInvariant == nil)
            }
        }
    }

    @Test func randomHistories_agreeWithList() throws {
        var random = SeededRandom(seed: 4)
        var entries = DiskEntries()
        var model: [Int] = []
        for step in 0..<3_000 {
            let number = Int.random(in: 0..<300, using: &random)
            // It grows, and shrinks again.
            let grows = step % 1_000 < 600
            if let place = entries.place(of: name(number)) {
                model.removeAll { $0 == number }
                if Int.random(in: 0..<4, using: &random) == 0, grows {
                    entries.use(at: place, now: 0)
                    model.append(number)
                } else {
                    must(entries.remove(at: place).name == name(number), "step \(step)")
                }
            } else if grows {
                entries.add(entry(number))
                model.append(number)
            }
            must(order(entries) == model, "step \(step)")
            must(entries.brokenInvariant == nil, "\(entries.brokenInvariant ?? "") step \(step)")
        }
    }

    @Test func room_isReleased_afterManyRemovals() {
        var entries = DiskEntries()
        for number in 0..<10_000 {
            entries.add(entry(number))
            must(entries.all.capacity <= entries.count * 7 / 6 + 100, "room for many more than \(number)")
        }
        while entries.count > 10 { entries.remove(at: Int(entries.oldest)) }
        #expect(entries.all.capacity < 200)
        #expect(order(entries) == Array(9_990..<10_000))
        #expect(entries.brokenInvariant == nil)
    }
}
