import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A shared store that fails, or doesn't answer.
@Suite(.timeLimit(.minutes(1))) struct TieredStorePauseTests {
    private let local = InMemoryStore()
    private let shared = HeldStore()
    private let clock = ManualClock()
    private let events = Recorder<TieredStore.Event>()
    private let store: TieredStore
    private let key = StoredKey("http://h/a")
    private let failure = ImageLoaderError.storeFailed(UnderlyingError(CocoaError(.fileReadUnknown)))

    init() throws {
        var settings = TieredStore.Settings()
        settings.failureLimit = 2
        let time = TimeSource(clock, secondsSince1970: { 1_000 })
        store = try TieredStore(local: local, shared: shared, settings, time: time) { [events] in events.record($0) }
    }

    private func metadata(_ key: StoredKey) -> StoredMetadata {
        StoredMetadata(EntryMetadata(source: key.source), for: key)
    }

    private func find() async throws -> Data? { try await store.entry(for: key, reading: .whole)?.body }

    private func save() async throws { try await store.store(StoredBody(Data([1])), metadata(key)) }

    private func fail() async throws {
        shared.memory.failure = failure
        for _ in 0..<2 { #expect(try await find() == nil) }
        #expect(events.takeAll().last == .paused)
    }

    @Test func failuresInARow_pauseTheSharedStore() async throws {
        try await shared.store(StoredBody(Data([1])), metadata(key))
        shared.memory.failure = failure
        for _ in 0..<3 { #expect(try await find() == nil) }
        let failed = TieredStore.Event.failed(
            CacheFailure(operation: .read, path: "http://h/a", reason: "\(failure)"))
        #expect(events.takeAll() == [failed, failed, .paused])
        // It isn't asked, although it would answer.
        shared.memory.failure = nil
        clock.advance(by: .milliseconds(4_999))
        #expect(try await find() == nil)
        clock.advance(by: .milliseconds(1))
        #expect(try await find() == Data([1]))
        #expect(events.values == [.resumed])
    }

    @Test func writes_areDroppedMeanwhile() async throws {
        try await fail()
        shared.memory.failure = nil
        try await save()
        await store.flush()
        #expect(local.entryCount == 1 && shared.memory.entryCount == 0)
        clock.advance(by: .seconds(5))
        #expect(try await store.entry(for: StoredKey("http://h/b"), reading: .whole) == nil)
        try await save()
        await store.flush()
        #expect(shared.memory.entryCount == 1 && events.values == [.resumed])
    }

    @Test func failedWrites_countToo_andQueuedOnesAreDropped() async throws {
        shared.writes.hold()
        for number in 0..<6 {
            let key = StoredKey("http://h/\(number)")
            try await store.store(StoredBody(Data([1])), metadata(key))
        }
        await shared.writes.arrivals(4)
        shared.memory.failure = failure
        shared.writes.open()
        await events.wait { $0.contains(.paused) }
        await store.flush()
        shared.memory.failure = nil
        #expect(shared.memory.entryCount == 0 && local.entryCount == 6)
    }

    @Test func lookUp_waitsUntilTheTimeout() async throws {
        shared.reads.hold()
        for number in 1...2 {
            async let found = find()
            let end = ManualClock.Instant(offset: .milliseconds(100 * number))
            try await clock.sleeper(until: end)
            clock.advance(to: end)
            #expect(try await found == nil)
        }
        #expect(events.values.count == 3 && events.values.last == .paused)
        // No look-up waits from now on.
        #expect(try await find() == nil)
        shared.reads.open()
    }

    @Test func cancelledLookUp_isNoFailure() async throws {
        shared.reads.hold()
        for number in 1...3 {
            let look = Task { try await find() }
            await shared.reads.arrivals(number)
            look.cancel()
            #expect(try await look.value == nil)
            shared.reads.open()
            shared.reads.hold()
        }
        #expect(events.values.isEmpty)
        shared.reads.open()
    }

    @Test func removal_isTriedAndThrows_evenMeanwhile() async throws {
        try await shared.store(StoredBody(Data([1])), metadata(key))
        try await save()
        await store.flush()
        try await failRemovals()
        #expect(local.entryCount == 0)
        shared.memory.failure = nil
        // The store is still paused, and is used again once the removal has succeeded.
        try await store.removeEntries(.source(key.source))
        #expect(shared.memory.entryCount == 0 && events.values == [.resumed])
    }

    private func failRemovals() async throws {
        shared.memory.failure = failure
        for _ in 0..<3 {
            await #expect(throws: failure) { try await store.removeEntries(.source(key.source)) }
        }
        #expect(events.takeAll() == [.paused])
    }

    @Test func list_throwsMeanwhile() async throws {
        try await fail()
        shared.memory.failure = nil
        let error = await #expect(throws: ImageLoaderError.self) { try await store.listed(.all).get() }
        #expect(error?.kind == .storeFailed)
    }

    @Test func list_thatIsUnsupported_isNoFailure() async throws {
        let store = try TieredStore(local: local, shared: InMemoryStore(listsAll: false)) { [events] in
            events.record($0)
        }
        for _ in 0..<6 {
            let error = await #expect(throws: ImageLoaderError.self) { try await store.listed(.all).get() }
            #expect(error?.kind == .unsupportedSelection)
        }
        #expect(events.values.isEmpty)
    }
}
