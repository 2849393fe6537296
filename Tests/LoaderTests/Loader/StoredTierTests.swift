import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Loaders whose disk tier is a store of the program.
@Suite(.timeLimit(.minutes(1))) struct StoredTierTests {
    private let origin: ChangingOrigin
    private let store = InMemoryStore()
    private let failures = Recorder<CacheFailure>()

    init() throws { origin = try ChangingOrigin() }

    private var time: TimeSource {
        TimeSource(ManualClock(), secondsSince1970: { [origin] in origin.state.withLock { $0.second } })
    }

    private func makeTier(
        _ store: (any ImageStore)? = nil, _ change: (inout StoredTier.Settings) -> Void = { _ in }
    ) throws -> StoredTier {
        var settings = StoredTier.Settings()
        settings.contents = .both
        change(&settings)
        return try StoredTier(store ?? self.store, settings, time: time) { [failures] in failures.record($0) }
    }

    /// A loader with an empty memory cache.
    private func makeLoader(_ tier: StoredTier) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = origin.transport
        configuration.timeOfDay = { [origin] in origin.state.withLock { $0.second } }
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        return ImageLoader(configuration, store: tier)
    }

    private func small() throws -> ImageRequest {
        try .test { $0.targetSize = PixelSize(width: 20, height: 20) }
    }

    // MARK: Entries

    @Test func imageOfOneLoader_isFoundByTheNext() async throws {
        let tier = try makeTier()
        let first = try makeLoader(tier)
        #expect(try await first.response(for: small()).source == .network)
        await first.flush()
        // The bytes and the scaled image.
        #expect(store.entryCount == 2)
        let second = try makeLoader(tier)
        let found = try await second.response(for: small())
        #expect(found.source == .disk && found.image.size.width == 20 && found.image.originalSize.width == 40)
        #expect(try await second.response(for: .test()).source == .disk)
        #expect(await second.contains(try small(), in: .disk))
        #expect(origin.requestCount == 1 && failures.values.isEmpty)
        #expect(second.diskCache == nil && second.storedTier === tier)
    }

    @Test func staleEntry_isConfirmed_withoutStoringItsBytesAgain() async throws {
        let tier = try makeTier()
        let first = try makeLoader(tier)
        _ = try await first.image(for: small())
        await first.flush()
        let bytes = store.byteCount
        origin.pass(70)
        let second = try makeLoader(tier)
        #expect(try await second.response(for: small()).source != .network)
        await second.flush()
        #expect(origin.conditionalCount == 1 && origin.requestCount == 2 && store.byteCount == bytes)
        // Both entries are fresh again.
        let third = try makeLoader(tier)
        #expect(try await third.response(for: small()).source == .disk)
        #expect(try await third.response(for: .test()).source == .disk)
        #expect(origin.requestCount == 2 && failures.values.isEmpty)
    }

    @Test func replacedImage_takesWithItWhatWasMadeFromTheOldOne() async throws {
        let tier = try makeTier()
        let first = try makeLoader(tier)
        _ = try await first.image(for: small())
        await first.flush()
        origin.change { $0.widths["/a.png"] = 44 }
        origin.pass(70)
        let second = try makeLoader(tier)
        #expect(try await second.image(for: .test()).size.width == 44)
        await second.flush()
        #expect(store.entryCount == 1)
        let third = try makeLoader(tier)
        #expect(try await third.image(for: small()).originalSize.width == 44)
        #expect(origin.requestCount == 2 && failures.values.isEmpty)
    }

    @Test func responseThatMustNotBeStored_isNot_andRemovesTheEarlierOne() async throws {
        let tier = try makeTier()
        let first = try makeLoader(tier)
        _ = try await first.image(for: small())
        await first.flush()
        origin.change { $0.headers["Cache-Control"] = "no-store" }
        origin.pass(70)
        let second = try makeLoader(tier)
        _ = try await second.image(for: .test())
        await second.flush()
        #expect(store.entryCount == 0 && failures.values.isEmpty)
    }

    @Test func entries_expire() async throws {
        let tier = try makeTier { $0.timeToLive = .seconds(30) }
        let first = try makeLoader(tier)
        _ = try await first.image(for: small())
        await first.flush()
        origin.pass(29)
        #expect(try await makeLoader(tier).response(for: small()).source == .disk)
        origin.pass(1)
        #expect(try await makeLoader(tier).response(for: small()).source == .network)
    }

    @Test func secrets_areStoredAsDigests_thatDependOnTheSettings() async throws {
        let request = try ImageRequest.test { $0.credentials = .init(user: "me", password: "pass") }
        let secret = Data(repeating: 7, count: 32)
        _ = try await makeLoader(makeTier { $0.secret = secret }).image(for: request)
        let listed = Recorder<[StoredMetadata]>()
        try await store.listEntries(.all) { listed.record($0) }
        let metadata = try #require(listed.values.first?.first)
        #expect(metadata.bytes.range(of: Data("pass".utf8)) == nil && metadata.key.source == "http://host.test/a.png")
        #expect(try await makeLoader(makeTier { $0.secret = secret }).response(for: request).source == .disk)
        #expect(try await makeLoader(makeTier()).response(for: request).source == .network)
        #expect(try await makeLoader(makeTier { $0.secret = secret }).response(for: .test()).source == .network)
        let spy = TearingStore(store)
        let loader = try makeLoader(makeTier(spy))
        _ = try await loader.image(for: request)
        await loader.flush()
        // Also in the form of the header field.
        #expect(spy.keys.values.count > 1)
        #expect(!spy.keys.values.contains { $0.contains("pass") || $0.contains("bWU6cGFzcw") })
    }

    @Test func imagesStoredByHand_areFound_andReplaceOthers() async throws {
        let tier = try makeTier()
        let loader = try makeLoader(tier)
        _ = try await loader.image(for: small())
        try await loader.store(Pictures.png(30, 30), for: .test() as ImageRequest, in: .all)
        await loader.flush()
        #expect(store.entryCount == 1)
        #expect(try await makeLoader(tier).image(for: .test()).size.width == 30)
        #expect(origin.requestCount == 1)
    }

    // MARK: Removing

    @Test(arguments: 0..<5) func removal_reachesTheStore_andLoadsThatRun(kind: Int) async throws {
        let tier = try makeTier()
        let loader = try makeLoader(tier)
        var request = try small()
        request.tags = ["t"]
        _ = try await loader.image(for: request)
        _ = try await loader.image(for: .test("b.png"))
        await loader.flush()
        #expect(store.entryCount == 3)
        switch kind {
        case 0: await loader.remove(request)
        case 1: try await loader.remove(.url(.test()))
        case 2: try await loader.remove(.prefix("http://host.test/a"))
        case 3: try await loader.remove(.tag("t"))
        default: try await tier.remove { $0.key.source.hasSuffix("a.png") }
        }
        #expect(store.entryCount == 1)
        #expect(try await makeLoader(tier).response(for: .test("b.png")).source == .disk)
        try await loader.remove(.all)
        #expect(store.entryCount == 0 && failures.values.isEmpty)
    }

    @Test(arguments: 0..<4) func loadBegunBeforeRemoval_storesNothing(kind: Int) async throws {
        let tier = try makeTier()
        let transport = ScriptedDataLoader()
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration, store: tier)
        let load = Task { try await loader.image(for: small()) }
        let call = try await transport.nextCall()
        switch kind {
        case 0: await loader.remove(try small())
        case 1: try await tier.remove(.prefix("http://host.test/"))
        case 2: try await tier.remove(.all)
        default: try await tier.remove { _ in true }
        }
        call.answer(try Pictures.png(40, 30))
        _ = try await load.value
        await loader.flush()
        #expect(store.entryCount == 0)
    }

    @Test func storeThatCantList_refusesPrefixes_andTakesTheRest() async throws {
        let store = InMemoryStore(listsAll: false)
        let tier = try makeTier(store)
        let loader = try makeLoader(tier)
        _ = try await loader.image(for: small())
        await loader.flush()
        let error = await #expect(throws: ImageLoaderError.self) {
            try await loader.remove(.prefix("http://host.test/"))
        }
        #expect(error?.kind == .unsupportedSelection && store.entryCount == 2)
        // Nothing was removed, so it is still found.
        #expect(try await makeLoader(tier).response(for: .test()).source == .disk)
        await loader.remove(try small())
        #expect(store.entryCount == 0)
    }

    // MARK: Failures

    @Test func failingStore_isAMissAndAnEvent() async throws {
        let tier = try makeTier()
        store.failure = .storeFailed(UnderlyingError(CocoaError(.fileReadUnknown)))
        let loader = try makeLoader(tier)
        #expect(try await loader.response(for: small()).source == .network)
        await loader.flush()
        let operations = Set(failures.takeAll().map(\.operation))
        #expect(operations == [.read, .write])
        store.failure = nil
        #expect(try await makeLoader(tier).response(for: small()).source == .network)
        #expect(failures.values.isEmpty)
    }

    @Test func entryThatCouldNotBeRemoved_isNotFound_untilItIsRemovedOrReplaced() async throws {
        let tier = try makeTier()
        let loader = try makeLoader(tier)
        _ = try await loader.image(for: .test())
        await loader.flush()
        store.failure = .storeFailed(UnderlyingError(CocoaError(.fileWriteUnknown)))
        await loader.remove(try .test() as ImageRequest)
        #expect(failures.takeAll().map(\.operation) == [.remove])
        await #expect(throws: ImageLoaderError.self) { try await loader.remove(.tag("t")) }
        store.failure = nil
        #expect(store.entryCount == 1)
        #expect(await !loader.contains(try .test() as ImageRequest))
        let other = try makeLoader(tier)
        #expect(try await other.response(for: .test()).source == .network)
        await other.flush()
        #expect(try await makeLoader(tier).response(for: .test()).source == .disk)
        await loader.remove(try .test() as ImageRequest)
        #expect(try await makeLoader(tier).response(for: .test()).source == .network)
        #expect(try await makeLoader(tier).response(for: .test()).source == .disk)
    }

    @Test func damagedEntry_isAMissAndAnEvent_andRemoved() async throws {
        let loader = try makeLoader(makeTier())
        _ = try await loader.image(for: .test())
        await loader.flush()
        let tier = try makeTier(TearingStore(store))
        #expect(try await makeLoader(tier).response(for: .test()).source == .network)
        #expect(failures.values.map(\.operation) == [.read])
        #expect(failures.values.first?.reason == "not a whole entry")
    }

    // MARK: Settings

    @Test func invalidSettings_areRefused() {
        func expectRefusal(_ change: (inout StoredTier.Settings) -> Void) {
            let error = #expect(throws: ImageLoaderError.self) { try makeTier(nil, change) }
            #expect(error?.kind == .unsupportedConfiguration)
        }
        expectRefusal { $0.deadline = .zero }
        expectRefusal { $0.timeToLive = .milliseconds(1) }
        expectRefusal { $0.secret = Data(count: 31) }
    }

    @Test func tier_isNotGivenWithSettingsForADisk() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        let loader = ImageLoader(configuration, store: try makeTier())
        let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: .test()) }
        #expect(error?.kind == .unsupportedConfiguration)
    }

    @Test func tierOfDiskCache_isTheDiskCache() async throws {
        let temporary = try TemporaryDirectory()
        let disk = try DiskStore(.init(directory: temporary.url.appending(path: "cache")))
        let loader = try makeLoader(StoredTier(disk))
        _ = try await loader.image(for: .test())
        await loader.flush()
        #expect(loader.diskCache === disk)
        #expect(await disk.contains(loader.key(for: try .test() as URL)))
        var settings = StoredTier.Settings()
        settings.deadline = nil
        let error = #expect(throws: ImageLoaderError.self) { try StoredTier(disk, settings) }
        #expect(error?.kind == .unsupportedConfiguration)
        try await StoredTier(disk).remove { $0.key.source == "http://host.test/a.png" }
        #expect(await disk.entries().isEmpty)
    }

    @Test func wrappedDiskCache_isAStoreLikeAnyOther() async throws {
        let temporary = try TemporaryDirectory()
        let disk = try DiskStore(.init(directory: temporary.url.appending(path: "cache")))
        let tier = try makeTier(WrappedStore(disk))
        let first = try makeLoader(tier)
        _ = try await first.image(for: small())
        await first.flush()
        #expect(await disk.entries().count == 2)
        origin.pass(70)
        let second = try makeLoader(tier)
        #expect(try await second.response(for: small()).source != .network)
        await second.flush()
        #expect(try await makeLoader(tier).response(for: small()).source == .disk)
        await first.remove(try small())
        #expect(await disk.entries().isEmpty)
        #expect(origin.requestCount == 2 && failures.values.isEmpty)
    }
}

/// Returns a part of the first entry that is read.
private final class TearingStore: ImageStore {
    private let store: InMemoryStore
    private let isTorn = Mutex(false)
    /// Everything that can be seen of the keys.
    let keys = Recorder<String>()

    init(_ store: InMemoryStore) { self.store = store }

    func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        keys.record(String(reflecting: key))
        var entry = try await store.entry(for: key, reading: part)
        let isFirst = isTorn.withLock { isTorn in
            defer { isTorn = true }
            return !isTorn
        }
        if isFirst, entry?.body.isEmpty == false { entry?.body.removeLast() }
        return entry
    }

    func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        keys.record(String(reflecting: metadata.key))
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
