import Alcedo
import AlcedoTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import TestFixtures

/// Slots over a loader with a scripted transport.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotTests {
    private let fixture: SlotFixture
    private var transport: ScriptedDataLoader { fixture.transport }

    init() throws { fixture = try SlotFixture() }

    // MARK: Loading

    @Test func image_isLoaded_withProgress_andThenFoundInTheSameTurn() async throws {
        let (slot, watcher) = fixture.slot()
        let bytes = try Pictures.png(3, 2)
        slot.load(try .test())
        #expect(slot.brief == "loading 0 | placeholder" && slot.isLoading)
        let call = try await transport.nextCall()
        call.respond(expectedBytes: bytes.count)
        call.send(bytes.prefix(10))
        await watcher.until("loading 10/\(bytes.count) | placeholder")
        if case .loading(let loading) = slot.phase {
            #expect(loading.fraction == 10 / Double(bytes.count))
        } else {
            Issue.record("not loading")
        }
        call.send(bytes.dropFirst(10))
        call.finish()
        await watcher.until("success 3 | image 3 fading")
        #expect(slot.request?.url == (try .test()) && !slot.isLoading)

        let other = ImageSlot(slot.loader)
        other.load(try .test())
        #expect(other.brief == "success 3 | image 3" && other.phase.response?.source == .memory)
        #expect(transport.callCount == 1)
    }

    @Test func sameRequest_isNotLoadedAgain() async throws {
        let (slot, watcher) = fixture.slot()
        slot.load(try .test())
        slot.load(try .test())
        let call = try await transport.nextCall()
        slot.load(try .test())
        call.answer(try Pictures.png(3, 2))
        await watcher.until("success 3 | image 3 fading")
        let count = watcher.changes.values.count
        slot.load(try .test())
        #expect(watcher.changes.values.count == count && transport.callCount == 1)
    }

    @Test func nilRequest_emptiesTheSlot() async throws {
        let (slot, watcher) = fixture.slot()
        slot.load(try .test())
        let call = try await transport.nextCall()
        slot.load(nil)
        #expect(slot.brief == "empty | none" && slot.request == nil)
        try await call.cancelled()
        #expect(watcher.changes.values.last == "empty | none")
        slot.load(nil as ImageRequest?)
        slot.load(nil as URL?)
        #expect(watcher.changes.values.count == 2)
    }

    @Test func optionalURL_isLoaded() async throws {
        let (slot, watcher) = fixture.slot()
        let url: URL? = try .test()
        slot.load(url)
        #expect(slot.request?.url == url)
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        await watcher.until("success 3 | image 3 fading")
    }

    @Test func placeholderOfTheCall_precedesThatOfTheSettings() throws {
        let (slot, _) = fixture.slot()
        slot.load(try .test(), placeholder: .image(DecodedImage(bitmap: try Pictures.plain(7, 1))))
        #expect(slot.brief == "loading 0 | placeholder 7")
        slot.load(try .test("other"))
        #expect(slot.brief == "loading 0 | placeholder")
    }

    @Test func failure_isAPhase_andLoadingAgainRetries() async throws {
        var fixture = fixture
        fixture.loaders.configuration.download.failureLifetimes = .init()
        let (slot, watcher) = fixture.slot { $0.failurePlaceholder = .color(.black) }
        slot.load(try .test())
        try await transport.nextCall().answer(status: 404)
        await watcher.until("badStatus | placeholder")
        #expect(slot.phase.error == .badStatus(404))
        // The failure is remembered, but this is a retry.
        slot.load(try .test())
        #expect(slot.brief == "loading 0 | placeholder")
        try await transport.nextCall().answer(status: 404)
        await watcher.until("badStatus | placeholder")
        slot.reload()
        try await fixture.answer(3)
        await watcher.until("success 3 | image 3 fading")
        // Another slot meets no remembered failure any more.
        #expect(transport.callCount == 3)
    }

    @Test func invalidRequest_isAFailure() async throws {
        let (slot, watcher) = fixture.slot()
        slot.load(URL(string: "ftp://host.test/a.png"))
        await watcher.until("unsupportedScheme | placeholder")
    }

    // MARK: Ending

    @Test func newLoad_endsTheFormerOne_whoseResultNeverLands() async throws {
        let (slot, watcher) = fixture.slot()
        slot.load(try .test("first"))
        let first = try await transport.nextCall()
        slot.load(try .test("second"))
        try await first.cancelled()
        try await fixture.answer(5)
        await watcher.until("success 5 | image 5 fading")
        #expect(!watcher.changes.values.contains { $0.contains("image 3") })
    }

    @Test func cancel_endsTheTransfer_andKeepsWhatIsShown() async throws {
        let (slot, watcher) = fixture.slot()
        slot.load(try .test())
        let call = try await transport.nextCall()
        slot.cancel()
        #expect(slot.brief == "empty | placeholder" && !slot.isLoading)
        try await call.cancelled()
        // It can be loaded again.
        slot.load(try .test())
        try await fixture.answer(3)
        await watcher.until("success 3 | image 3 fading")
        slot.cancel()
        #expect(slot.brief == "success 3 | image 3 fading")
    }

    @Test func releasedSlot_endsItsLoad() async throws {
        var released: ImageSlot? = ImageSlot(fixture.makeLoader())
        weak let weakSlot = released
        released?.load(try .test())
        let call = try await transport.nextCall()
        released = nil
        try await call.cancelled()
        #expect(weakSlot == nil)
    }

    @Test func tenThousandSlots_areReleased_andTheirLoadsEnd() async throws {
        struct WeakSlot { weak var slot: ImageSlot? }
        let loader = fixture.makeLoader()
        var slots: [ImageSlot] = []
        for number in 0..<10_000 {
            let slot = ImageSlot(loader)
            slot.load(try .test("\(number)"))
            slots.append(slot)
        }
        let references = slots.map { WeakSlot(slot: $0) }
        let calls = [try await transport.nextCall(), try await transport.nextCall()]
        slots = []
        for call in calls { try await call.cancelled() }
        #expect(references.allSatisfy { $0.slot == nil })
        var statistics = await loader.downloads.statistics
        while statistics.running + statistics.queued > 0, !Task.isCancelled {
            await Task.yield()
            statistics = await loader.downloads.statistics
        }
        #expect(await loader.downloads.statistics.cancelled > 0)
    }

    @Test func loadsOfOthers_goOn() async throws {
        let loader = fixture.makeLoader()
        let (slot, _) = fixture.slot(loader)
        slot.load(try .test())
        let call = try await transport.nextCall()
        let other = loader.imageTask(for: try .test())
        slot.cancel()
        call.answer(try Pictures.png(3, 2))
        #expect(try await other.image.size.width == 3)
    }

    // MARK: Observation

    @Test func pictureInMemory_isOneNotification() async throws {
        let loader = fixture.makeLoader()
        async let loaded = loader.image(for: try .test())
        try await fixture.answer(3)
        _ = try await loaded
        let (slot, watcher) = fixture.slot(loader)
        let notifications = Mutex(0)
        withObservationTracking {
            _ = (slot.phase, slot.shown)
        } onChange: {
            notifications.withLock { $0 += 1 }
        }
        slot.load(try .test())
        #expect(notifications.withLock { $0 } == 1)
        #expect(watcher.changes.values == ["success 3 | image 3"])
    }

    /// A program may start the next load when it sees a failure.
    @Test func loadWithinOnChange_isTheOneThatCounts() async throws {
        let (slot, _) = fixture.slot()
        let changes = Recorder<String>()
        let spare = try URL.test("spare")
        slot.onChange = { slot in
            changes.record(slot.brief)
            if slot.phase.error != nil { slot.load(spare) }
        }
        slot.load(try .test())
        try await transport.nextCall().answer(status: 500)
        try await fixture.answer(3)
        await changes.wait { $0.last == "success 3 | image 3 fading" }
        // Also while a load begins.
        slot.onChange = { slot in
            slot.onChange = { changes.record($0.brief) }
            slot.load(nil as URL?)
        }
        slot.load(try .test("more"))
        #expect(slot.brief == "empty | none" && transport.callCount == 2)
    }
}
