import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Entries that are hidden at once, and those that take the place of others.
@Suite(.timeLimit(.minutes(1))) struct DiskReplacingTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private func made(_ name: String) -> (key: StoredKey, metadata: EntryMetadata) {
        let made = StoredKey(key.source, variant: name)
        var metadata = EntryMetadata(source: key.source)
        metadata.original = key.text
        return (made, metadata)
    }

    @Test func hiddenEntry_isNotFound() async throws {
        let store = makeStore()
        let (variant, metadata) = made("small")
        await self.store(key, in: store)
        await self.store(key(2), in: store)
        await store.store(body, metadata, for: variant, begun: store.ticket())
        await store.flush()
        let gate = ThreadGate()
        files.hold(.unlink, on: "/entries/", at: gate)
        await store.hide(key)
        await gate.arrivals(1)
        #expect(await store.body(for: key) == nil)
        #expect(await store.body(for: variant) == nil)
        #expect(await store.body(for: key(2)) == body)
        gate.open()
        await store.removeMade(of: key)
        #expect(try cache.entryNames() == [key(2).name.text])
    }

    @Test func replacement_isRejected_afterRemovalOrLaterReplacement() async throws {
        let store = makeStore()
        let metadata = EntryMetadata(source: key.source)
        let load = store.ticket()
        let first = await store.ticketToReplace(key)
        let second = await store.ticketToReplace(key)
        #expect(await store.hide(key, begun: first) == nil)
        #expect(await !store.replace(body, metadata, for: key, begun: first))
        await store.store(body, metadata, for: key, begun: load)
        #expect(await store.body(for: key) == nil)
        let place = try #require(await store.hide(key, begun: second))
        #expect(await store.replace(body, metadata, for: key, begun: place))
        #expect(await store.body(for: key) == body)
        let third = await store.ticketToReplace(key)
        await store.remove(key)
        #expect(await store.hide(key, begun: third) == nil)
        let fourth = try #require(await store.hide(key, begun: store.ticketToReplace(key)))
        await store.remove(key)
        #expect(await !store.replace(body, metadata, for: key, begun: fourth))
        #expect(await store.body(for: key) == nil)
        // Other keys have nothing to do with it.
        let other = await store.ticketToReplace(key(2))
        await store.remove(key)
        #expect(await store.hide(key(2), begun: other) != nil)
    }
}
