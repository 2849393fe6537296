import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The disk cache as a store that a program can wrap.
@Suite(.timeLimit(.minutes(1))) struct DiskImageStoreTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private var store: any ImageStore { makeStore() }

    private func metadata(
        _ key: StoredKey, tags: Set<String> = [], version: UInt64? = 1, madeOf original: StoredKey? = nil,
        expires: Int64? = nil
    ) -> StoredMetadata {
        var properties = EntryMetadata(source: key.source)
        properties.response = version.map {
            StoredResponse(headers: [:], freshness: Freshness(endSecond: 9), version: $0)
        }
        properties.tags = tags
        properties.original = original?.text
        return StoredMetadata(properties, for: key, expires: expires)
    }

    private func list(_ selection: StoredSelection, in store: any ImageStore) async throws -> Set<StoredMetadata> {
        let found = Recorder<[StoredMetadata]>()
        try await store.listEntries(selection) { found.record($0) }
        return Set(found.values.joined())
    }

    @Test(arguments: [false, true]) func entry_isFoundAsItWasStored(isFlushed: Bool) async throws {
        let (store, metadata) = (store, metadata(key, tags: ["t"], expires: Int64(UInt32.max)))
        #expect(try await store.entry(for: key, reading: .whole) == nil)
        try await store.store(StoredBody(body), metadata)
        if isFlushed { await store.flush() }
        let whole = try #require(try await store.entry(for: key, reading: .whole))
        #expect(whole.body == body && whole.metadata == metadata)
        let head = try #require(try await store.entry(for: key, reading: .metadata))
        #expect(head.body.isEmpty && head.metadata == metadata)
        #expect(failures.values.isEmpty)
    }

    @Test func metadata_isReplaced_forTheSameVersionOnly() async throws {
        let store = store
        try await store.store(nil, metadata(key))
        #expect(try await store.entry(for: key, reading: .whole) == nil)
        try await store.store(StoredBody(body), metadata(key, tags: ["old"]))
        await store.flush()
        for (version, tag) in [(2, "old"), (nil, "old"), (1, "new")] as [(UInt64?, String)] {
            let metadata = metadata(key, tags: ["new"], version: version, expires: Int64(UInt32.max))
            try await store.store(nil, metadata)
            let found = try #require(try await store.entry(for: key, reading: .whole))
            #expect(found.body == body && found.metadata.tags == [tag], "\(version ?? 0)")
            #expect(found.metadata.expires == (tag == "new" ? metadata.expires : nil))
        }
    }

    @Test func selections_chooseEntries() async throws {
        let (a, b) = (key(1), key(2))
        let made = a.made(as: "8")
        let all = [
            metadata(a, tags: ["t"]), metadata(b, tags: ["u"]), metadata(made, madeOf: a), metadata(key(3), expires: 1),
        ]
        let selections: [(StoredSelection, [Int])] = [
            (.keys([b, key(9)]), [1]), (.keys([]), []), (.source(a.source), [0, 2]), (.tag("u"), [1]),
            (.tag("\0made of " + a.text), [2]), (.expired, [3]), (.all, [0, 1, 2, 3]),
        ]
        for (selection, chosen) in selections {
            let store = store
            await (store as? DiskStore)?.removeAll()
            for metadata in all { try await store.store(StoredBody(body), metadata) }
            let (chosen, others) = (Set(chosen.map { all[$0] }), Set(all).subtracting(chosen.map { all[$0] }))
            #expect(try await list(selection, in: store) == chosen, "\(selection)")
            try await store.removeEntries(selection)
            #expect(try await list(.all, in: store) == others, "\(selection)")
            for metadata in all where metadata.key != key(3) {
                let isThere = try await store.entry(for: metadata.key, reading: .metadata) != nil
                #expect(isThere == others.contains(metadata), "\(selection)")
            }
        }
    }

    @Test func removal_isHeldAgainstLoadsOfTheStore() async throws {
        let disk = makeStore()
        let ticket = disk.ticket()
        await disk.removeEntries(.keys([key]))
        await disk.store(body, for: key, begun: ticket)
        #expect(await disk.body(for: key) == nil)
        await disk.store(body, for: key(1), begun: ticket)
        #expect(await disk.body(for: key(1)) == body)
    }
}
