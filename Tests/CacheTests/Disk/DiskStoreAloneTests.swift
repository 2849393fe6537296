import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// A disk store as programs use it without a loader.
@Suite(.timeLimit(.minutes(1))) struct DiskStoreAloneTests {
    private let temporary: TemporaryDirectory
    private let events = Recorder<CacheFailure>()
    private let store: DiskStore
    private let key: ImageKey
    private let body = Data("a body".utf8)

    init() throws {
        temporary = try TemporaryDirectory()
        let settings = DiskStore.Settings(directory: temporary.url.appending(path: "cache"))
        store = try DiskStore(settings) { [events] in events.record($0) }
        key = ImageKey(try .test() as ImageRequest)
    }

    private func scaled(_ side: Int) throws -> ImageKey {
        ImageKey(try .test { $0.targetSize = PixelSize(width: side, height: side) })
    }

    @Test func bytes_areFound_untilRemoved() async throws {
        #expect(await store.data(for: key) == nil)
        #expect(await store.contains(key) == false)
        try await store.store(body, for: key, tags: ["t"])
        #expect(await store.data(for: key) == body)
        #expect(await store.contains(key))
        let entry = try #require(await store.entry(for: key))
        #expect(entry.url == "http://host.test/a.png" && entry.tags == ["t"] && !entry.isProcessed)
        #expect(await store.digest(for: key) == entry.digest)
        #expect(await store.fileURL(for: key)?.path == entry.file.path)
        #expect(try Data(contentsOf: entry.file).starts(with: body))
        await store.remove(key)
        #expect(await store.data(for: key) == nil)
        #expect(await store.entry(for: key) == nil)
        #expect(await store.digest(for: key) == entry.digest)
        #expect(events.values.isEmpty)
    }

    @Test func eachSize_hasItsOwnEntry_andIsRemovedWithOriginal() async throws {
        try await store.store(body, for: key)
        try await store.store(Data("small".utf8), for: scaled(8))
        #expect(await store.data(for: try scaled(8)) == Data("small".utf8))
        #expect(await store.data(for: try scaled(9)) == nil)
        #expect(await store.entry(for: try scaled(8))?.isProcessed == true)
        #expect(await store.statistics.entryCount == 2)
        await store.remove(key)
        #expect(await store.statistics.entryCount == 0)
    }

    @Test func requestsWithCredentials_haveSeparateEntries() async throws {
        let secret = ImageKey(try .test { $0.credentials = .init(user: "me", password: "pass") })
        try await store.store(body, for: secret)
        #expect(await store.data(for: secret) == body)
        #expect(await store.data(for: key) == nil)
        let name = try #require(await store.fileURL(for: secret))
        await store.flush()
        #expect(!String(decoding: try Data(contentsOf: name), as: UTF8.self).contains("pass"))
    }

    @Test func timeToLive_appliesPerEntry() async throws {
        let seconds = Atomic<Int64>(1_000_000)
        let store = DiskStore(
            valid: .bare(temporary.file("timed")),
            time: TimeSource(ManualClock()) { seconds.load(ordering: .relaxed) })
        try await store.store(body, for: key, timeToLive: .seconds(10))
        #expect(await store.data(for: key) == body)
        seconds.add(10, ordering: .relaxed)
        #expect(await store.data(for: key) == nil)
        #expect(await store.remove(.expired).count == 1)
    }

    @Test func unstorableBytes_areAnError() async throws {
        await #expect(throws: ImageLoaderError.emptyBody) { try await store.store(Data(), for: key) }
        let own = ImageKey(ImageRequest(data: body, id: "mine"))
        let error = await #expect(throws: ImageLoaderError.self) { try await store.store(body, for: own) }
        #expect(error?.kind == .unsupportedConfiguration)
        #expect(await store.data(for: own) == nil)
        #expect(await store.digest(for: own) == nil)
        #expect(await store.statistics.entryCount == 0)
    }

    @Test func changedLimits_applyAtOnce() async throws {
        for number in 0..<4 { try await store.store(body, for: ImageKey(try URL.test("\(number)"))) }
        await store.flush()
        #expect(await store.statistics.entryCount == 4)
        try await store.setLimits(maximumBytes: nil, maximumEntryCount: 3)
        #expect(await store.statistics.entryCount == 3)
        try await store.setLimits(maximumBytes: 2 * 4096, maximumEntryCount: nil)
        #expect(await store.statistics.entryCount == 2)
        #expect(await store.statistics.maximumBytes == 2 * 4096)
        #expect(try temporary.names(in: "cache/entries").count == 2)
        let refused = ImageLoaderError.unsupportedConfiguration("disk.maximumBytes is -1, and must be at least 0")
        await #expect(throws: refused) { try await store.setLimits(maximumBytes: -1, maximumEntryCount: nil) }
        #expect(await store.statistics.maximumBytes == 2 * 4096)
        try await store.setLimits(maximumBytes: nil, maximumEntryCount: nil)
        #expect(await store.statistics.maximumBytes >= 64 << 20)
    }

    @Test func predicate_removesMatches() async throws {
        try await store.store(body, for: key)
        try await store.store(Data(count: 10_000), for: ImageKey(try URL.test("large")))
        #expect(await store.remove { $0.byteCount > 8_192 }.count == 1)
        #expect(await store.entries().map(\.url) == ["http://host.test/a.png"])
    }
}
