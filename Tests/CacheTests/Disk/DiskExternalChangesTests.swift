import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What a store that has only looked things up hears of another one on its directory.
@Suite(.timeLimit(.minutes(1))) struct DiskExternalChangesTests {
    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_000_000)
    }

    private let temporary: TemporaryDirectory
    private let clock = Clock()

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore() -> DiskStore {
        // The clock of its upkeep stands still: it hears of nothing by itself.
        let time = TimeSource(ManualClock()) { [clock] in clock.seconds.load(ordering: .relaxed) }
        return DiskStore(valid: DiskStore.Settings.bare(temporary.file("cache")), time: time)
    }

    @Test func externalEntry_isFound_withinTwoSeconds() async {
        let (reader, writer) = (makeStore(), makeStore())
        let key = StoredKey("http://h/a")
        await reader.settle()
        #expect(await reader.body(for: key) == nil)
        await writer.store(Data("bytes".utf8), for: key, begun: writer.ticket())
        await writer.flush()
        clock.seconds.add(2, ordering: .relaxed)
        #expect(await reader.body(for: key) == Data("bytes".utf8))
    }

    /// What keeps out a load that began before is the store that removes: others know nothing of it.
    @Test func removal_affectsLoadsOfItsStoreOnly() async {
        let (first, second) = (makeStore(), makeStore())
        let key = StoredKey("http://h/a")
        let (own, others) = (first.ticket(), second.ticket())
        await first.remove(key)
        await first.store(Data("own".utf8), for: key, begun: own)
        await first.flush()
        #expect(await first.body(for: key) == nil)
        await second.store(Data("others".utf8), for: key, begun: others)
        await second.flush()
        clock.seconds.add(2, ordering: .relaxed)
        #expect(await first.body(for: key) == Data("others".utf8))
    }
}
