import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct PrefetchListTests {
    private typealias List = PrefetchList<Int, String>

    private func list(_ window: Int = 2, _ keys: [Int] = []) -> List {
        var list = List(window: window)
        for key in keys { list.add(key, "\(key)") }
        return list
    }

    private func keys(_ items: [List.Item]) -> [Int] { items.map(\.key) }

    @Test func window_movesAlongTheList() {
        var list = list(2, [1, 2, 3, 4])
        let first = list.next()
        #expect(keys(first) == [1, 2] && first.map(\.value) == ["1", "2"] && list.next().isEmpty)
        list.end(2, first[1].number, .finished, bytes: 7)
        #expect(keys(list.next()) == [3])
        list.end(1, first[0].number, .skipped, bytes: 0)
        #expect(keys(list.next()) == [4])
        #expect(list.progress.total == 4 && list.progress.remaining == 2 && list.progress.receivedBytes == 7)
        #expect(list.progress.finished == 1 && list.progress.skipped == 1)
    }

    @Test func keyOnTheList_isNotAddedAgain() {
        var list = list(1, [1, 1, 2, 1])
        #expect(list.progress.total == 2)
        let first = list.next()
        list.add(1, "again")
        list.end(1, first[0].number, .finished, bytes: 0)
        #expect(keys(list.next()) == [2])
        // It is no longer on it.
        list.add(1, "again")
        #expect(list.progress.total == 3)
    }

    @Test func stoppedKey_isNeverBegun_andDoesNotCount() {
        var list = list(1, [1, 2, 3])
        let first = list.next()
        #expect(list.stop([2, 9]) == [])
        #expect(list.progress.total == 2)
        #expect(list.stop([1]) == [first[0].number])
        #expect(keys(list.next()) == [3] && list.progress.total == 1)
        // The end of what was stopped changes nothing, except that its bytes were received.
        list.add(1, "anew")
        list.end(1, first[0].number, .finished, bytes: 5)
        #expect(list.progress.finished == 0 && list.progress.total == 2 && list.progress.receivedBytes == 5)
        #expect(list.runningCount == 1)
    }

    @Test func stoppedKey_thatIsAddedAgain_goesLast() {
        var list = list(1, [1, 2, 3])
        #expect(list.stop([1]) == [])
        list.add(1, "anew")
        list.window = 3
        let items = list.next()
        #expect(keys(items) == [2, 3, 1] && items.last?.value == "anew")
    }

    @Test func failedKey_isNotLoadedAgain_untilItIsForgotten() {
        var list = list(1, [1])
        list.end(1, list.next()[0].number, .failed, bytes: 0)
        list.add(1, "1")
        #expect(list.next().isEmpty && list.progress.failed == 1 && list.progress.total == 1)
        list.forgetFailures()
        list.add(1, "1")
        #expect(keys(list.next()) == [1] && list.progress.total == 2 && list.progress.failed == 1)
        #expect(list.update(to: [(1, "1")]).isEmpty)
    }

    /// It is scrolled away and back.
    @Test func failedKey_isRemembered_whileItIsNotOnTheList() {
        var list = list(1, [1])
        list.end(1, list.next()[0].number, .failed, bytes: 0)
        #expect(list.update(to: [(2, "2")]).isEmpty && list.stop([1]).isEmpty)
        #expect(list.update(to: [(1, "1")]).isEmpty && list.next().isEmpty && list.progress.failed == 1)
        #expect(list.stopAll().isEmpty)
        list.add(1, "1")
        #expect(keys(list.next()) == [1])
    }

    @Test func keyThatFailedForNow_isLoadedAgain_onceItIsListedAgain() {
        var list = list(1, [1])
        list.end(1, list.next()[0].number, .failedForNow, bytes: 0)
        #expect(list.next().isEmpty && list.progress.failed == 1 && list.progress.remaining == 0)
        list.add(1, "1")
        let again = list.next()
        #expect(keys(again) == [1] && list.progress.total == 2)
        list.end(1, again[0].number, .failedForNow, bytes: 0)
        #expect(list.update(to: [(1, "1")]).isEmpty)
        #expect(keys(list.next()) == [1] && list.progress.failed == 2 && list.progress.total == 3)
    }

    // MARK: Updates with the same keys

    /// A list of two keys that an update has named, of which the first has ended so.
    private func updated(_ end: List.End) -> List {
        var list = list(1)
        #expect(list.update(to: [(1, "1"), (2, "2")]).isEmpty)
        let first = list.next()
        #expect(keys(first) == [1])
        list.end(1, first[0].number, end, bytes: 0)
        return list
    }

    @Test(arguments: [.finished, .skipped, .failed, .failedForNow] as [PrefetchList<Int, String>.End])
    func endedKey_isNotLoadedAgain_whileUpdatesNameIt(end: PrefetchList<Int, String>.End) {
        var list = updated(end)
        let before = list.progress
        for keys in [[1, 2], [2, 1, 1], [3, 1, 2]] {
            #expect(list.update(to: keys.map { ($0, "") }).isEmpty)
            #expect(list.waitingCount == keys.count { $0 != 1 } && list.brokenInvariant == nil)
        }
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty && list.progress == before)
        #expect(keys(list.next()) == [2] && list.next().isEmpty)
    }

    @Test(arguments: [.finished, .skipped, .failedForNow] as [PrefetchList<Int, String>.End])
    func endedKey_isLoadedAgain_onceAnUpdateHasLeftItOut(end: PrefetchList<Int, String>.End) {
        var list = updated(end)
        #expect(list.update(to: [(2, "")]).isEmpty && list.ended.isEmpty)
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty)
        #expect(keys(list.next()) == [1] && list.progress.total == 3)
    }

    @Test(arguments: [.finished, .skipped, .failedForNow] as [PrefetchList<Int, String>.End])
    func endedKey_isLoadedAgain_ifItIsAddedByItself(end: PrefetchList<Int, String>.End) {
        var list = updated(end)
        list.add(1, "again")
        #expect(list.progress.total == 3)
        // It waits where the list has it.
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty && list.progress.total == 3)
        let again = list.next()
        #expect(keys(again) == [1] && again[0].value == "again")
        list.end(1, again[0].number, .finished, bytes: 0)
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty && keys(list.next()) == [2])
    }

    @Test(arguments: [true, false]) func endedKey_isLoadedAgain_onceItWasStopped(all: Bool) {
        var list = updated(.finished)
        #expect(all ? list.stopAll().isEmpty : list.stop([1]).isEmpty)
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty && keys(list.next()) == [1])
    }

    @Test func cancelledKey_isLoadedAgain_byAnUpdateWithTheSameKeys() {
        var list = updated(.dropped)
        #expect(list.progress.total == 1)
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty && keys(list.next()) == [1] && list.progress.total == 2)
    }

    @Test(arguments: [.finished, .skipped, .failed, .failedForNow] as [PrefetchList<Int, String>.End])
    func forgottenFailure_isLoadedAgain_byAnUpdateWithTheSameKeys(end: PrefetchList<Int, String>.End) {
        var list = updated(end)
        list.forgetFailures()
        #expect(list.update(to: [(1, ""), (2, "")]).isEmpty)
        #expect(keys(list.next()) == ([.failed, .failedForNow].contains(end) ? [1] : [2]))
    }

    /// More than are remembered when they aren't on the list.
    @Test func failuresOnTheList_areNotForgotten_howeverManyThereAre() {
        let all = (0...List.mostFailures).map { ($0, "") }
        var list = list(all.count)
        #expect(list.update(to: all).isEmpty)
        for item in list.next() { list.end(item.key, item.number, .failed, bytes: 0) }
        #expect(list.failureCount == 1 && list.ended.count == all.count)
        #expect(list.update(to: all).isEmpty && list.next().isEmpty && list.progress.total == all.count)
        #expect(list.update(to: []).isEmpty && list.ended.isEmpty)
    }

    /// Only as many keys are remembered as the last update had.
    @Test func keysThatNoUpdateHasNamed_areNotRemembered() {
        var list = list(3, [1, 2, 3])
        let items = list.next()
        list.end(1, items[0].number, .finished, bytes: 0)
        #expect(list.ended.isEmpty)
        // One that runs meanwhile is.
        #expect(list.update(to: [(2, "")]) == [items[2].number])
        list.end(2, items[1].number, .finished, bytes: 0)
        #expect(list.ended == [2: .finished] && list.update(to: [(2, ""), (1, "")]).isEmpty)
        #expect(keys(list.next()) == [1])
    }

    @Test func failures_areForgotten_whenThereAreTooMany() {
        let count = List.mostFailures
        var list = list(1, Array(0...count))
        for key in 0..<count { list.end(key, list.next()[0].number, .failed, bytes: 0) }
        list.add(0, "")
        let last = list.next()
        #expect(keys(last) == [count] && list.waitingCount == 0)
        list.end(count, last[0].number, .failed, bytes: 0)
        for key in [0, count] { list.add(key, "") }
        #expect(keys(list.next()) == [0] && list.waitingCount == 0)
    }

    @Test func update_stopsWhatIsGone_keepsWhatRuns_andReorders() {
        var list = list(2, [1, 2, 3, 4, 5])
        let first = list.next()
        #expect(list.update(to: [(6, "6"), (2, "2"), (5, "5"), (3, "3")]) == [first[0].number])
        #expect(list.progress.total == 4 && list.runningCount == 1)
        list.window = 9
        #expect(keys(list.next()) == [6, 5, 3])
        #expect(Set(list.update(to: [])).count == 4 && list.progress.total == 0)
    }

    @Test func updateWithAKeyTwice_takesItsFirstPlace() {
        var list = list(1, [2])
        #expect(list.update(to: [(1, "first"), (2, "2"), (1, "again"), (2, "2")]).isEmpty && list.progress.total == 2)
        let first = list.next()
        #expect(keys(first) == [1] && first[0].value == "first")
        // Nor does it matter where else one that runs is.
        #expect(list.update(to: [(3, "3"), (1, "1"), (3, "3"), (1, "1"), (2, "2")]).isEmpty)
        list.window = 9
        #expect(keys(list.next()) == [3, 2] && list.progress.total == 3)
    }

    @Test func heldList_beginsNothing_andPutsBackWhatRuns() {
        var list = list(2, [1, 2, 3])
        list.isHeld = true
        #expect(list.next().isEmpty)
        list.isHeld = false
        let first = list.next()
        #expect(list.putBack() == first.map(\.number) && list.runningCount == 0 && list.waitingCount == 3)
        let again = list.next()
        #expect(keys(again) == [1, 2] && again.map(\.number) != first.map(\.number))
        // The end of the cancelled load isn't that of the new one.
        list.end(1, first[0].number, .dropped, bytes: 0)
        #expect(list.runningCount == 2 && list.progress.total == 3)
    }

    @Test func cancelledLoad_leavesTheList() {
        var list = list(1, [1, 2])
        list.end(1, list.next()[0].number, .dropped, bytes: 0)
        #expect(list.progress.total == 1 && keys(list.next()) == [2])
    }

    // MARK: Random steps

    /// What the list must be like, the slow way.
    private struct Model {
        struct Entry {
            let key: Int
            var isRunning = false
        }
        var entries: [Entry] = []
        var failed: Set<Int> = []
        /// The keys of the last update, those of them that have ended, and those that have failed.
        var (named, ended, unlucky): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
        var done = 0
        var failedCount = 0
        var running: Int { entries.count(where: \.isRunning) }
    }

    @Test func randomSteps_matchTheModel() {
        var random = SeededRandom(seed: Fuzz.seed)
        var list = List(window: 3)
        var model = Model()
        var numbers: [Int: UInt64] = [:]
        for step in 0..<max(40_000, Fuzz.steps) {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40:
                list.add(key, "")
                if !model.failed.contains(key), !model.entries.contains(where: { $0.key == key }) {
                    model.entries.append(.init(key: key))
                }
            case 40..<55:
                let cancelled = list.stop([key])
                let entry = model.entries.first { $0.key == key }
                must(cancelled == (entry?.isRunning == true ? [numbers[key] ?? 0] : []), "step \(step): stop")
                model.entries.removeAll { $0.key == key }
                model.ended.remove(key)
            case 55..<57:
                // Some occur more than once, and some were on the last list.
                let listed = (0..<8).map { _ in
                    Bool.random(using: &random)
                        ? Int.random(in: 0..<40, using: &random)
                        : model.named.sorted().randomElement(using: &random) ?? 0
                }
                let cancelled = list.update(to: listed.map { ($0, "") })
                let keys = listed.indices.filter { !listed[..<$0].contains(listed[$0]) }.map { listed[$0] }
                let gone = model.entries.filter { !keys.contains($0.key) && $0.isRunning }
                must(Set(cancelled) == Set(gone.compactMap { numbers[$0.key] }), "step \(step): update")
                let running = model.entries.filter { keys.contains($0.key) && $0.isRunning }
                let waiting = keys.filter { key in
                    if let entry = model.entries.first(where: { $0.key == key }) { return !entry.isRunning }
                    return !model.failed.contains(key) && !model.ended.contains(key)
                }
                model.entries = running + waiting.map { .init(key: $0) }
                model.named = Set(keys)
                model.ended.formIntersection(keys)
            case 57: list.isHeld = true
            case 58..<61: list.isHeld = false
            case 61:
                let running = model.entries.filter(\.isRunning).sorted { numbers[$0.key] ?? 0 < numbers[$1.key] ?? 0 }
                must(list.putBack() == running.compactMap { numbers[$0.key] }, "step \(step): put back")
                model.entries = running.map { .init(key: $0.key) } + model.entries.filter { !$0.isRunning }
            case 62:
                list.forgetFailures()
                model.failed = []
                model.ended.subtract(model.unlucky)
            default:
                guard let entry = model.entries.filter(\.isRunning).randomElement(using: &random) else { break }
                let end =
                    [List.End.finished, .skipped, .failed, .failedForNow, .dropped]
                    .randomElement(using: &random) ?? .finished
                list.end(entry.key, numbers[entry.key] ?? 0, end, bytes: 1)
                model.entries.removeAll { $0.key == entry.key }
                switch end {
                case .failed: model.failed.insert(entry.key)
                case .finished, .skipped: model.done += 1
                case .failedForNow, .dropped: break
                }
                model.ended.remove(entry.key)
                model.unlucky.remove(entry.key)
                if end != .dropped, model.named.contains(entry.key) { model.ended.insert(entry.key) }
                if [.failed, .failedForNow].contains(end) {
                    model.failedCount += 1
                    model.unlucky.insert(entry.key)
                }
            }
            let expected =
                list.isHeld
                ? [] : Array(model.entries.filter { !$0.isRunning }.map(\.key).prefix(max(0, 3 - model.running)))
            let items = list.next()
            must(items.map(\.key) == expected, "step \(step): begins")
            for item in items {
                numbers[item.key] = item.number
                if let place = model.entries.firstIndex(where: { $0.key == item.key }) {
                    model.entries[place].isRunning = true
                }
            }
            let progress = list.progress
            if let problem = list.brokenInvariant { must(false, "step \(step): \(problem)") }
            must(list.runningCount == model.running, "step \(step): running")
            must(progress.remaining == model.entries.count, "step \(step): remaining")
            must(progress.finished + progress.skipped == model.done, "step \(step): done")
            must(progress.failed == model.failedCount, "step \(step): failed")
        }
    }
}
