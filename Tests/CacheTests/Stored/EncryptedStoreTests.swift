#if canImport(Darwin) || os(Linux) && Encryption
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// An encrypted store over others.
@Suite(.timeLimit(.minutes(2))) struct EncryptedStoreTests {
    private let key = EncryptionKey()
    private let memory = InMemoryStore()
    private let bird = StoredKey("https://host.test/bird.png")
    private let owl = StoredKey("https://host.test/owl.png")

    private func makeStore(_ keys: [EncryptionKey]? = nil, naming: EncryptionKey? = nil) throws -> EncryptedStore {
        try EncryptedStore(wrapping: memory, keys: keys ?? [key], naming: naming ?? key)
    }

    private func metadata(_ key: StoredKey, version: UInt64? = 5, expires: Int64? = nil) -> StoredMetadata {
        var properties = EntryMetadata(source: key.source)
        properties.response = version.map {
            StoredResponse(headers: ["ETag": "\"1\""], freshness: Freshness(endSecond: 9), version: $0)
        }
        properties.tags = ["tag of \(key.source)"]
        return StoredMetadata(properties, for: key, expires: expires)
    }

    private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

    private func listed(_ store: EncryptedStore, _ selection: StoredSelection = .all) async throws -> [StoredMetadata] {
        let found = Recorder<[StoredMetadata]>()
        try await store.listEntries(selection) { found.record($0) }
        return found.values.flatMap { $0 }
    }

    // MARK: Requirements

    @Test func overMemory_hasNoProblems() async {
        let key = key
        #expect(
            await StoreCheck { () throws(ImageLoaderError) in
                try EncryptedStore(wrapping: InMemoryStore(), keys: [key], naming: key)
            }.problems() == [])
        #expect(
            await StoreCheck { () throws(ImageLoaderError) in
                try EncryptedStore(wrapping: InMemoryStore(listsAll: false), keys: [key], naming: key)
            }.problems() == [])
        let limit = 1_000_000
        #expect(
            await StoreCheck(maximumBytes: limit) { () throws(ImageLoaderError) in
                try EncryptedStore(wrapping: InMemoryStore(maximumBytes: limit), keys: [key], naming: key)
            }.problems() == [])
    }

    @Test func overDiskCache_hasNoProblems() async throws {
        let temporary = try TemporaryDirectory()
        let number = Atomic(0)
        let (limit, key) = (4 << 20, key)
        let check = StoreCheck(maximumBytes: limit) { () throws(ImageLoaderError) in
            let name = "cache \(number.add(1, ordering: .relaxed).newValue)"
            let disk = try DiskStore(.bare(temporary.file(name), byteLimit: limit))
            return try EncryptedStore(wrapping: disk, keys: [key], naming: key)
        }
        #expect(await check.problems() == [])
    }

    @Test func storeWithoutAKey_isRefused() {
        let error = #expect(throws: ImageLoaderError.self) { try makeStore([]) }
        #expect(error?.kind == .unsupportedConfiguration)
    }

    @Test(arguments: [0, 1_000, 2 << 20]) func bodies_ofAnySize(count: Int) async throws {
        let store = try makeStore()
        let body = bytes(count)
        try await store.store(StoredBody(body), metadata(bird))
        #expect(try await makeStore().entry(for: bird, reading: .whole)?.body == body)
        #expect(try await makeStore().entry(for: bird, reading: .metadata)?.body == Data())
        #expect(memory.byteCount < count + 1_000)
    }

    @Test func errorsOfTheWrappedStore_arePassedOn() async throws {
        let store = try makeStore()
        let failure = ImageLoaderError.storeFailed(UnderlyingError(CocoaError(.fileWriteUnknown)))
        memory.failure = failure
        await #expect(throws: failure) { try await store.entry(for: bird, reading: .whole) }
        await #expect(throws: failure) { try await store.store(StoredBody(Data()), metadata(bird)) }
        await #expect(throws: failure) { try await store.removeEntries(.all) }
        await #expect(throws: failure) { try await store.listEntries(.all) { _ in } }
    }

    // MARK: Keys

    @Test func rotation_readsOldEntries_andWritesWithTheNewKey() async throws {
        let new = EncryptionKey()
        let (first, body) = (try makeStore(), bytes(100))
        try await first.store(StoredBody(body), metadata(bird))
        try await first.store(StoredBody(body), metadata(owl))
        let second = try makeStore([new, key])
        #expect(try await second.entry(for: bird, reading: .whole)?.body == body)
        // A confirmation encrypts the metadata again, and leaves the body.
        let renewed = metadata(bird, expires: 4_000_000_000)
        try await second.store(nil, renewed)
        let entry = try await second.entry(for: bird, reading: .whole)
        #expect(entry?.metadata == renewed && entry?.body == body)
        try await second.store(StoredBody(bytes(50)), metadata(owl, version: 6))
        #expect(memory.entryCount == 2)

        let third = try makeStore([new])
        #expect(try await third.entry(for: owl, reading: .whole)?.body == bytes(50))
        #expect(try await third.entry(for: bird, reading: .metadata)?.metadata == renewed)
        let error = await #expect(throws: ImageLoaderError.self) { try await third.entry(for: bird, reading: .whole) }
        #expect(error?.description.contains("another key") == true)
    }

    @Test func entriesOfAnotherKey_areNotRead_andAreReplaced() async throws {
        let body = bytes(100)
        try await makeStore().store(StoredBody(body), metadata(bird))
        let other = try makeStore([EncryptionKey()])
        for part in [StoredPart.whole, .metadata] {
            let error = await #expect(throws: ImageLoaderError.self) { try await other.entry(for: bird, reading: part) }
            #expect(error?.kind == .storeFailed)
        }
        try await other.store(StoredBody(bytes(9)), metadata(bird))
        #expect(try await other.entry(for: bird, reading: .whole)?.body == bytes(9))
        #expect(memory.entryCount == 1)
        // With another naming key, nothing is found.
        #expect(try await makeStore(naming: EncryptionKey()).entry(for: bird, reading: .whole) == nil)
    }

    @Test func entriesThatNoKeyOpens_areRemovedByAList() async throws {
        let (first, other) = (try makeStore(), try makeStore([EncryptionKey()]))
        try await first.store(StoredBody(bytes(1)), metadata(bird))
        try await other.store(StoredBody(bytes(1)), metadata(owl))
        // As it was stored before there was a key.
        try await memory.store(StoredBody(bytes(1)), metadata(bird))
        #expect(memory.entryCount == 3)
        #expect(try await listed(first) == [metadata(bird)])
        #expect(memory.entryCount == 1)
        #expect(try await first.entry(for: bird, reading: .whole)?.body == bytes(1))
    }

    @Test func manyEntries_areListedInBatches() async throws {
        let store = try makeStore()
        let keys = (0..<600).map { StoredKey("https://host.test/\($0)") }
        for key in keys { try await store.store(StoredBody(Data()), metadata(key)) }
        let sizes = Recorder<Int>()
        try await store.listEntries(.all) { sizes.record($0.count) }
        #expect(sizes.values == [256, 256, 88])
        #expect(try await Set(listed(store).map(\.key)) == Set(keys))
    }

    // MARK: Tampering

    /// The checksums of the wrapped store match, as after a deliberate change.
    @Test func changedEntry_isAMissAndAnEvent_andReplaced() async throws {
        let body = bytes(40)
        try await makeStore().store(StoredBody(body), metadata(bird))
        let changing = ChangingStore(memory)
        let failures = Recorder<CacheFailure>()
        var settings = StoredTier.Settings()
        settings.deadline = nil
        let encrypted = try EncryptedStore(wrapping: changing, keys: [key], naming: key)
        let tier = try StoredTier(encrypted, settings) { failures.record($0) }
        for index in 0..<(try await changing.byteCount(of: encrypted, bird)) {
            changing.place.store(index, ordering: .relaxed)
            #expect(await tier.entry(for: bird, readsBody: true, waits: false) == nil, "\(index)")
            #expect(failures.takeAll().map(\.operation) == [.read], "\(index)")
        }
        changing.place.store(-1, ordering: .relaxed)
        #expect(await tier.entry(for: bird, readsBody: true, waits: false)?.body == body)
        await tier.store(
            .memory(bytes(3)), EntryMetadata(source: bird.source), for: bird, timeToLive: nil, begun: tier.ticket())
        #expect(await tier.entry(for: bird, readsBody: true, waits: false)?.body == bytes(3))
        #expect(failures.values.isEmpty && memory.entryCount == 1)
    }

    @Test func entryOfAnotherName_isRefused() async throws {
        let store = try makeStore()
        try await store.store(StoredBody(bytes(9)), metadata(owl))
        let seal = try #require(EntrySeal([key], naming: key))
        let swapped = try EncryptedStore(
            wrapping: SwappingStore(store: memory, name: seal.name(of: owl)), keys: [key], naming: key)
        await #expect(throws: ImageLoaderError.self) { try await swapped.entry(for: bird, reading: .whole) }
        #expect(try await swapped.entry(for: owl, reading: .whole)?.body == bytes(9))
    }

    @Test func entriesAreNotEqual_evenIfTheirContentsAre() async throws {
        let store = try makeStore()
        let seal = try #require(EntrySeal([key], naming: key))
        var messages: Set<Data> = []
        for _ in 0..<3 {
            try await store.store(StoredBody(bytes(9)), metadata(bird))
            messages.insert(try #require(try await memory.entry(for: seal.name(of: bird), reading: .whole)).body)
        }
        #expect(messages.count == 3)
    }
}

/// Changes one byte of each entry that is read: of the body, or of the encrypted metadata after it.
private final class ChangingStore: ImageStore {
    private let store: InMemoryStore
    /// The number of the byte; negative for none.
    let place = Atomic(-1)

    init(_ store: InMemoryStore) { self.store = store }

    /// The number of bytes that can be changed.
    func byteCount(of encrypted: EncryptedStore, _ key: StoredKey) async throws -> Int {
        _ = try await encrypted.entry(for: key, reading: .whole)
        return lastByteCount.load(ordering: .relaxed)
    }

    private let lastByteCount = Atomic(0)

    func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        guard var entry = try await store.entry(for: key, reading: part) else { return nil }
        guard var properties = entry.metadata.decoded, var sealed = properties.sealed else { return entry }
        lastByteCount.store(entry.body.count + sealed.count, ordering: .relaxed)
        let place = place.load(ordering: .relaxed)
        if place < 0 { return entry }
        if place < entry.body.count {
            entry.body[place] ^= 0x20
        } else {
            sealed[place - entry.body.count] ^= 0x20
            properties.sealed = sealed
            entry.metadata = StoredMetadata(properties, for: entry.metadata.key)
        }
        return entry
    }

    func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        try await store.store(body, metadata)
    }

    func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        try await store.removeEntries(selection)
    }

    func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        try await store.listEntries(selection, body)
    }
}

/// Returns one entry under every name.
private struct SwappingStore: ImageStore {
    let store: InMemoryStore
    let name: StoredKey

    func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        try await store.entry(for: name, reading: part)
    }

    func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {}

    func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {}

    func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {}
}
#endif
