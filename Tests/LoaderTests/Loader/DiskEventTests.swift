import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What a loader tells of the entries that leave its disk cache by themselves.
@Suite(.timeLimit(.minutes(1))) struct DiskEventTests {
    private var fixture: LoaderFixture

    init() throws {
        let picture = try Pictures.png()
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
    }

    @Test func entryAboveLimit_isReportedAsEvicted() async throws {
        var fixture = fixture
        fixture.configuration.disk?.maximumBytes = 2 * 4096
        let loader = fixture.makeLoader()
        for name in ["a", "b", "c"] {
            _ = try await loader.image(for: .test(name))
            await loader.flush()
        }
        #expect(told(fixture, \.evicted) == [[StoredKey(try URL.test("a").absoluteString).name.text]])
        #expect(told(fixture, \.expired).isEmpty)
        #expect(await loader.diskCache?.statistics.evicted == 1)
    }

    @Test func expiredEntry_isReported_whenCacheIsUsed() async throws {
        var fixture = fixture
        let (old, clock) = (StoredKey(try URL.test("old").absoluteString), ManualClock())
        await keep(old, until: -500)
        fixture.configuration.clock = clock
        let loader = fixture.makeLoader()
        #expect(await loader.diskCache?.statistics.entryCount == 1)
        #expect(told(fixture, \.expired).isEmpty)
        _ = try await loader.image(for: .test("new"))
        try await clock.sleeper(until: clock.now.advanced(by: .seconds(1)))
        clock.advance(by: .seconds(1))
        await fixture.events.wait { $0.contains { $0.expired != nil } }
        await loader.flush()
        #expect(told(fixture, \.expired) == [[old.name.text]])
        #expect(told(fixture, \.evicted).isEmpty)
        #expect(
            await loader.diskCache?.entries(includingExpired: true).map(\.url) == [try URL.test("new").absoluteString])
    }

    /// Stores an entry, as if that had been a while ago.
    private func keep(_ key: StoredKey, until end: Int64) async {
        let now = Int64(Date().timeIntervalSince1970)
        let settings = DiskStore.Settings.bare(fixture.temporary.file("cache"))
        let store = DiskStore(valid: settings, time: TimeSource(ManualClock()) { now - 1_000 })
        await store.replace(Data("bytes".utf8), EntryMetadata(source: key.source), for: key, expires: now + end)
        await store.flush()
    }

    private func told(_ fixture: LoaderFixture, _ kind: (LoadEvent.Kind) -> [RemovedEntry]?) -> [[String]] {
        fixture.events.values.compactMap(kind).map { $0.map(\.digest) }
    }
}

extension LoadEvent.Kind {
    fileprivate var evicted: [RemovedEntry]? { if case .diskEvicted(let entries) = self { entries } else { nil } }
    fileprivate var expired: [RemovedEntry]? { if case .diskExpired(let entries) = self { entries } else { nil } }
}
