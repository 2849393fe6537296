import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Changes that a store hasn't carried out, because it is slow or never answers.
@Suite(.timeLimit(.minutes(1))) struct GuardedStoreTests {
    private let memory = InMemoryStore()
    /// The point at which changes wait.
    private let changes = Hold()
    private let failures = Recorder<CacheFailure>()
    private let guarded: GuardedStore

    init() {
        let store = WrappedStore(memory) { [changes] call in
            switch call {
            case .store, .removal: await changes.pass()
            case .entry, .list: break
            }
        }
        let ledger = StoreLedger(LedgerTable(byteLimit: 20_000, countLimit: 2))
        guarded = GuardedStore(store, .init(), TimeSource(ManualClock()), ledger: ledger) { [failures] in
            failures.record($0)
        }
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://host.test/\(number)") }

    private func store(_ number: Int, bytes: Int = 100) async {
        let key = key(number)
        await guarded.store(
            .memory(Data(count: bytes)), EntryMetadata(source: key.source), for: key, timeToLive: nil,
            begun: guarded.ledger.ticket())
    }

    private func found(_ numbers: Range<Int>) async -> [Int] {
        var found: [Int] = []
        for number in numbers where await guarded.entry(for: key(number), readsBody: true, waits: true) != nil {
            found.append(number)
        }
        return found
    }

    @Test func removalsBeyondTheLimit_areRefused_andHideWhatTheyName() async {
        for number in 0..<4 { await store(number) }
        changes.hold()
        let hanging = (8..<10).map { number in Task { await guarded.hide(key(number), waits: true) } }
        await changes.arrivals(2)
        #expect(await guarded.hide(key(0)) == nil)
        #expect(failures.takeAll().map(\.reason) == ["2 changes with 0 bytes wait for the store already"])
        #expect(await found(0..<4) == [1, 2, 3])
        #expect(await guarded.remove(source: key(1).source)?.kind == .storeFailed)
        #expect(await found(0..<4) == [2, 3])
        // Nothing is removed.
        for selection in [CacheSelection.tag("t"), .prefix("http://host.test/2"), .expired] {
            #expect(await guarded.remove(selection, by: nil)?.kind == .storeFailed)
        }
        #expect(await guarded.remove(named: "all") { _ in true }?.kind == .storeFailed)
        #expect(await found(0..<4) == [2, 3] && memory.entryCount == 4)
        #expect(await guarded.removeAll()?.kind == .storeFailed)
        #expect(await found(0..<4) == [] && failures.values.count == 6)
        changes.open()
        for task in hanging { #expect(await task.value != nil) }
        // The next change begins with what was refused.
        await store(5)
        #expect(await found(0..<6) == [5] && memory.entryCount == 1)
    }

    @Test func writesBeyondTheLimit_areRefused() async {
        changes.hold()
        let writes = (0..<2).map { number in Task { await store(number, bytes: 9_000) } }
        let refused = await failures.wait { !$0.isEmpty }
        #expect(refused.map(\.operation) == [.write] && guarded.ledger.count == 1)
        changes.open()
        for task in writes { await task.value }
        #expect(memory.entryCount == 1)
    }

    /// Look-ups find no expired entry anyway.
    @Test func removalOfExpiredEntries_delaysNothing() async {
        changes.hold()
        let removal = Task { await guarded.remove(.expired, by: nil) }
        await changes.arrivals(1)
        let write = Task { await store(0) }
        await changes.arrivals(2)
        changes.open()
        #expect(await removal.value == nil)
        await write.value
        #expect(await found(0..<1) == [0])
    }
}
