import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A local store and a shared one, which works.
@Suite(.timeLimit(.minutes(2))) struct TieredStoreTests {
    private let local = InMemoryStore()
    private let shared = HeldStore()
    private let events = Recorder<TieredStore.Event>()
    private let directoryKey = DirectoryKey(secret: Data(repeating: 7, count: 32))

    private func makeStore(_ change: (inout TieredStore.Settings) -> Void = { _ in }) throws -> TieredStore {
        var settings = TieredStore.Settings()
        change(&settings)
        let time = TimeSource(ManualClock(), secondsSince1970: { 1_000 })
        return try TieredStore(local: local, shared: shared, settings, time: time) { [events] in events.record($0) }
    }

    private let key = StoredKey("http://h/a")

    private func metadata(
        _ key: StoredKey, version: UInt64 = 1, tags: Set<String> = [], control: String? = nil, expires: Int64? = nil
    ) -> StoredMetadata {
        var properties = EntryMetadata(source: key.source)
        properties.tags = tags
        properties.response = StoredResponse(
            headers: control.map { ["Cache-Control": $0] } ?? [:], freshness: Freshness(endSecond: 9), version: version)
        return StoredMetadata(properties, for: key, expires: expires)
    }

    private func save(
        _ key: StoredKey, in store: some ImageStore, _ byte: UInt8 = 1, version: UInt64 = 1, tags: Set<String> = [],
        control: String? = nil, expires: Int64? = nil
    ) async throws {
        let metadata = metadata(key, version: version, tags: tags, control: control, expires: expires)
        try await store.store(StoredBody(Data([byte])), metadata)
    }

    private func body(_ key: StoredKey, in store: some ImageStore) async throws -> Data? {
        try await store.entry(for: key, reading: .whole)?.body
    }

    // MARK: Requirements

    @Test func requirementsOfAStore_areMet() async throws {
        let check = StoreCheck { () throws(ImageLoaderError) in
            try TieredStore(local: InMemoryStore(), shared: InMemoryStore())
        }
        #expect(await check.problems() == [])
        // Most writes are dropped.
        let checkOfDropping = StoreCheck { () throws(ImageLoaderError) in
            var settings = TieredStore.Settings()
            settings.maximumQueuedWrites = 1
            return try TieredStore(local: InMemoryStore(), shared: InMemoryStore(listsAll: false), settings)
        }
        #expect(await checkOfDropping.problems() == [])
    }

    @Test func diskCache_mayBeTheLocalStore() async throws {
        let temporary = try TemporaryDirectory()
        let number = Atomic(0)
        let check = StoreCheck { () throws(ImageLoaderError) in
            let name = "cache \(number.add(1, ordering: .relaxed).newValue)"
            var settings = DiskStore.Settings.bare(temporary.file(name))
            settings.synchronization = .never
            return try TieredStore(local: DiskStore(settings), shared: InMemoryStore())
        }
        #expect(await check.problems() == [])
    }

    @Test func invalidSettings_areRefused() {
        func expectRefusal(_ change: (inout TieredStore.Settings) -> Void) {
            let error = #expect(throws: ImageLoaderError.self) { try makeStore(change) }
            #expect(error?.kind == .unsupportedConfiguration)
        }
        expectRefusal { $0.timeout = .zero }
        expectRefusal { $0.failureLimit = 0 }
        expectRefusal { $0.pause = .zero }
        expectRefusal { $0.maximumQueuedWrites = 0 }
        expectRefusal { $0.maximumQueuedWrites = 10_001 }
        expectRefusal { $0.maximumQueuedBytes = 0 }
    }

    // MARK: Looking up

    @Test func entryOfTheSharedStore_isKeptLocally_ifItsBytesWereRead() async throws {
        let store = try makeStore()
        try await save(key, in: shared)
        #expect(try await store.entry(for: key, reading: .metadata) != nil)
        #expect(local.entryCount == 0)
        #expect(try await body(key, in: store) == Data([1]))
        #expect(try await body(key, in: local) == Data([1]))
        // The local one is found first.
        try await save(key, in: shared, 2, version: 2)
        #expect(try await body(key, in: store) == Data([1]))
        #expect(events.values.isEmpty)
    }

    @Test func expiredEntry_isNotKept() async throws {
        let store = try makeStore()
        try await save(key, in: shared, expires: 1_000)
        #expect(try await body(key, in: store) != nil)
        #expect(local.entryCount == 0)
    }

    enum Change: CaseIterable { case removal, removalByTag, replacement }

    @Test(arguments: Change.allCases)
    func entryThatChangesDuringTheLookUp_isNotKept(_ change: Change) async throws {
        let store = try makeStore()
        try await save(key, in: shared, tags: ["t"])
        shared.answers.hold()
        async let found = body(key, in: store)
        await shared.answers.arrivals(1)
        switch change {
        case .removal: try await store.removeEntries(.keys([key]))
        case .removalByTag: try await store.removeEntries(.tag("t"))
        case .replacement: try await save(key, in: store, 2, version: 2)
        }
        shared.answers.open()
        // It was there when the look-up began.
        #expect(try await found == Data([1]))
        #expect(try await body(key, in: local) == (change == .replacement ? Data([2]) : nil))
    }

    @Test func failingLocalStore_isReplacedByTheSharedOne() async throws {
        let store = try makeStore()
        try await save(key, in: shared)
        local.failure = .storeFailed(UnderlyingError(CocoaError(.fileReadUnknown)))
        #expect(try await body(key, in: store) == Data([1]))
        #expect(events.values.count == 1)
        await #expect(throws: ImageLoaderError.self) { try await body(StoredKey("http://h/b"), in: store) }
        // An entry that isn't stored locally isn't shared.
        await #expect(throws: ImageLoaderError.self) { try await save(StoredKey("http://h/c"), in: store) }
        await store.flush()
        #expect(shared.memory.entryCount == 1)
    }

    // MARK: Storing

    @Test func flush_waitsForTheSharedStore() async throws {
        let store = try makeStore()
        shared.writes.hold()
        try await save(key, in: store)
        #expect(local.entryCount == 1)
        await shared.writes.arrivals(1)
        async let flushed: Void = store.flush()
        shared.writes.open()
        await flushed
        #expect(shared.memory.entryCount == 1)
    }

    @Test func fullQueue_dropsTheOldestWrites() async throws {
        let store = try makeStore { $0.maximumQueuedWrites = WriteBacklog.mostWriters + 1 }
        shared.writes.hold()
        let keys = (0..<7).map { StoredKey("http://h/\($0)") }
        for key in keys.prefix(4) { try await save(key, in: store) }
        await shared.writes.arrivals(4)
        for key in keys.dropFirst(4) { try await save(key, in: store) }
        #expect(events.values == [.dropped(keys[4]), .dropped(keys[5])])
        shared.writes.open()
        await store.flush()
        #expect(shared.memory.entryCount == 5 && local.entryCount == 7)
    }

    @Test func renewal_keepsTheChecksum_thatTheLocalStoreDoesNotHave() async throws {
        let store = try makeStore()
        var checked = metadata(key)
        checked.check = BodyCheck(Data([1]))
        try await store.store(StoredBody(Data([1])), checked)
        try await store.store(nil, metadata(key, tags: ["new"]))
        await store.flush()
        let found = try #require(try await shared.entry(for: key, reading: .metadata)).metadata
        #expect(found.tags == ["new"] && found.check == BodyCheck(Data([1])))
        // Of another version, or of none.
        try await store.store(nil, metadata(key, version: 2))
        try await store.store(nil, metadata(StoredKey("http://h/b")))
        await store.flush()
        #expect(try await shared.entry(for: key, reading: .metadata)?.metadata.tags == ["new"])
        #expect(shared.memory.entryCount == 1)
    }

    // MARK: Removing

    @Test(arguments: [
        StoredSelection.all, .source("http://h/a"), .keys([StoredKey("http://h/a")]), .tag("t"), .expired,
    ])
    func queuedAndRunningWrites_doNotBringBackWhatWasRemoved(_ selection: StoredSelection) async throws {
        let store = try makeStore()
        shared.writes.hold()
        // Of one source, so that one runs and the others wait for it or in the queue.
        let made = [key] + (0..<6).map { key.made(as: "\($0)") }
        for key in made { try await save(key, in: store, tags: ["t"], expires: 1_000) }
        await shared.writes.arrivals(1)
        async let removed: Void = store.removeEntries(selection)
        shared.writes.open()
        try await removed
        await store.flush()
        let isOne = if case .keys = selection { true } else { false }
        #expect(local.entryCount == (isOne ? 6 : 0) && shared.memory.entryCount == (isOne ? 6 : 0))
    }

    @Test func entryWhoseNewTagsAreStillQueued_isFoundByThem() async throws {
        let store = try makeStore()
        try await save(key, in: store, tags: ["old"])
        await store.flush()
        shared.writes.hold()
        for number in 0..<4 { try await save(StoredKey("http://h/\(number)"), in: store) }
        await shared.writes.arrivals(4)
        try await store.store(nil, metadata(key, tags: ["new"]))
        async let removed: Void = store.removeEntries(.tag("new"))
        shared.writes.open()
        try await removed
        await store.flush()
        #expect(try await body(key, in: store) == nil)
        #expect(shared.memory.entryCount == 4)
    }

    @Test func list_hasTheEntriesOfBothStores_once() async throws {
        let store = try makeStore()
        let other = StoredKey("http://h/b")
        try await save(key, in: local, tags: ["t"])
        try await save(key, in: shared, version: 2, tags: ["t"])
        try await save(other, in: shared, tags: ["t"])
        for selection in [StoredSelection.all, .tag("t")] {
            let listed = try await store.listed(selection).get()
            #expect(listed.count == 2 && Set(listed.map(\.key)) == [key, other])
            #expect(listed.first { $0.key == key }?.version == 1)
        }
    }

    // MARK: Privacy

    @Test(arguments: ["private", "no-store", "max-age=60, private=\"set-cookie\"", nil])
    func privateEntry_doesNotReachTheSharedStore(_ control: String?) async throws {
        let store = try makeStore()
        let key = control == nil ? StoredKey("http://h/a", secret: "user", under: directoryKey) : key
        try await save(key, in: store, control: control)
        try await save(key.made(as: "10 × 10"), in: store, control: control)
        try await store.store(nil, metadata(key, control: control))
        await store.flush()
        #expect(local.entryCount == 2 && shared.memory.entryCount == 0 && events.values.isEmpty)
    }

    @Test func entryThatBecomesPrivate_isRemovedFromTheSharedStore() async throws {
        for isRenewal in [true, false] {
            let store = try makeStore()
            try await save(key, in: store)
            await store.flush()
            #expect(shared.memory.entryCount == 1)
            let body = isRenewal ? nil : StoredBody(Data([2]))
            try await store.store(body, metadata(key, control: "private"))
            await store.flush()
            #expect(shared.memory.entryCount == 0 && local.entryCount == 1)
        }
    }

    @Test func sharedStore_isNotAskedForEntriesOfSecrets() async throws {
        let store = try makeStore()
        let key = StoredKey("http://h/a", secret: "user", under: directoryKey)
        try await save(key, in: shared)
        #expect(try await body(key, in: store) == nil)
    }
}
