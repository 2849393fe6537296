import AlcedoTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import Alcedo

/// Slots over a loader with a scripted transport.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let clock = ManualClock()
    private let red = Placeholder.color(PixelColor(red: 255, green: 0, blue: 0))

    init() throws {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.disk = nil
        self.fixture = fixture
    }

    private func slot(
        _ loader: ImageLoader? = nil, _ change: (inout ImageSlot.Settings) -> Void = { _ in }
    ) -> (ImageSlot, SlotWatcher) {
        var settings = ImageSlot.Settings()
        settings.placeholder = red
        change(&settings)
        let slot = ImageSlot(loader ?? fixture.makeLoader(), settings: settings, clock: clock)
        return (slot, SlotWatcher(slot))
    }

    // MARK: Loading

    @Test func image_isLoaded_withProgress_andThenFoundInTheSameTurn() async throws {
        let (slot, watcher) = slot()
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
        let (slot, watcher) = slot()
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
        let (slot, watcher) = slot()
        slot.load(try .test())
        let call = try await transport.nextCall()
        slot.load(nil as URL?)
        #expect(slot.brief == "empty | none" && slot.request == nil)
        try await call.cancelled()
        #expect(watcher.changes.values.last == "empty | none")
        slot.load(nil as ImageRequest?)
        #expect(watcher.changes.values.count == 2)
    }

    @Test func placeholderOfTheCall_precedesThatOfTheSettings() throws {
        let (slot, _) = slot()
        slot.load(try .test(), placeholder: .image(DecodedImage(bitmap: try Pictures.plain(7, 1))))
        #expect(slot.brief == "loading 0 | placeholder 7")
        slot.load(try .test("other"))
        #expect(slot.brief == "loading 0 | placeholder")
    }

    @Test func failure_isAPhase_andLoadingAgainRetries() async throws {
        var fixture = fixture
        fixture.configuration.download.failureLifetimes = .init()
        let (slot, watcher) = slot(fixture.makeLoader()) { $0.failurePlaceholder = .color(.black) }
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
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        await watcher.until("success 3 | image 3 fading")
        // Another slot meets no remembered failure any more.
        #expect(transport.callCount == 3)
    }

    @Test func invalidRequest_isAFailure() async throws {
        let (slot, watcher) = slot()
        slot.load(URL(string: "ftp://host.test/a.png"))
        await watcher.until("unsupportedScheme | placeholder")
    }

    // MARK: Ending

    @Test func newLoad_endsTheFormerOne_whoseResultNeverLands() async throws {
        let (slot, watcher) = slot()
        slot.load(try .test("first"))
        let first = try await transport.nextCall()
        slot.load(try .test("second"))
        try await first.cancelled()
        try await transport.nextCall().answer(try Pictures.png(5, 1))
        await watcher.until("success 5 | image 5 fading")
        #expect(!watcher.changes.values.contains { $0.contains("image 3") })
    }

    @Test func cancel_endsTheTransfer_andKeepsWhatIsShown() async throws {
        let (slot, watcher) = slot()
        slot.load(try .test())
        let call = try await transport.nextCall()
        slot.cancel()
        #expect(slot.brief == "empty | placeholder" && !slot.isLoading)
        try await call.cancelled()
        // It can be loaded again.
        slot.load(try .test())
        try await transport.nextCall().answer(try Pictures.png(3, 2))
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
        let loader = fixture.makeLoader()
        var slots: [ImageSlot] = []
        for number in 0..<10_000 {
            let slot = ImageSlot(loader)
            slot.load(try .test("\(number)"))
            slots.append(slot)
        }
        let calls = [try await transport.nextCall(), try await transport.nextCall()]
        weak let (first, last) = (slots.first, slots.last)
        slots = []
        for call in calls { try await call.cancelled() }
        #expect(first == nil && last == nil)
        await loader.close()
        #expect(await loader.downloads.statistics.running == 0)
    }

    @Test func loadsOfOthers_goOn() async throws {
        let loader = fixture.makeLoader()
        let (slot, _) = slot(loader)
        slot.load(try .test())
        let call = try await transport.nextCall()
        let other = loader.imageTask(for: try .test())
        slot.cancel()
        call.answer(try Pictures.png(3, 2))
        #expect(try await other.image.size.width == 3)
    }

    // MARK: Several pictures

    @Test func reload_asksTheServer_andKeepsThePicture() async throws {
        let (slot, watcher) = slot()
        slot.load(try .test())
        try await transport.nextCall().answer(try Pictures.png(3, 2), ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        await watcher.until("success 3 | image 3 fading")
        slot.reload()
        #expect(slot.brief == "loading 0 | image 3 fading")
        let confirmed = try await transport.nextCall()
        #expect(confirmed.request.headers["If-None-Match"] == "\"1\"")
        let number = slot.shown.number
        confirmed.answer(status: 304, ["ETag": "\"1\""])
        await watcher.until("success 3 | image 3 fading")
        #expect(slot.shown.number == number)
        slot.reload()
        try await transport.nextCall().answer(try Pictures.png(4, 2), ["ETag": "\"2\""])
        await watcher.until("success 4 | image 4 fading")
        #expect(slot.request == ImageRequest(url: try .test()))
    }

    @Test func reloadOfAnEmptySlot_doesNothing() {
        let (slot, watcher) = slot()
        slot.reload()
        slot.cancel()
        #expect(watcher.changes.values.isEmpty && slot.brief == "empty | none")
    }

    @Test func staleImageInMemory_isShownAtOnce_andThenTheFreshOne() async throws {
        var fixture = fixture
        fixture.configuration.memory.reuseWindow = .zero
        let loader = fixture.makeLoader()
        async let loaded = loader.image(for: try .test())
        try await transport.nextCall().answer(try Pictures.png(3, 2), ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        _ = try await loaded
        let (slot, watcher) = slot(loader) { $0.showsStale = true }
        slot.load(try .test())
        #expect(slot.brief == "success 3 stale | image 3" && slot.isLoading)
        try await transport.nextCall().answer(try Pictures.png(4, 2), ["ETag": "\"2\""])
        await watcher.until("success 4 | image 4 fading")
        #expect(!slot.isLoading)
        // Without the setting, nothing stale is shown.
        let (strict, _) = self.slot(loader)
        async let stored = loader.image(for: try .test("other"))
        try await transport.nextCall().answer(try Pictures.png(3, 2), ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        _ = try await stored
        strict.load(try .test("other"))
        #expect(strict.brief == "loading 0 | placeholder")
    }

    @Test(arguments: [true, false]) func staleImageOnDisk_isShown_untilTheServerHasAnswered(isConfirmed: Bool)
        async throws
    {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.memory.maximumBytes = 0
        let first = fixture.makeLoader()
        async let loaded = first.image(for: try .test())
        let fields: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
        try await transport.nextCall().answer(try Pictures.png(3, 2), fields)
        _ = try await loaded
        await first.close()

        fixture.configuration.memory = .init()
        let (slot, watcher) = slot(fixture.makeLoader()) { $0.showsStale = true }
        slot.load(try .test())
        let call = try await transport.nextCall()
        #expect(slot.brief == "success 3 stale | image 3 fading" && slot.isLoading)
        if isConfirmed {
            call.answer(status: 304, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
            await watcher.until("success 3 | image 3 fading")
        } else {
            call.answer(try Pictures.png(4, 2), ["ETag": "\"2\""])
            await watcher.until("success 4 | image 4 fading")
        }
        #expect(!slot.isLoading)
    }

    @Test func lowResolution_comesFirst() async throws {
        let (slot, watcher) = slot()
        var request = ImageRequest(url: try .test("large.png"))
        request.lowResolution = try .test("small.png")
        slot.load(request)
        let calls = [try await transport.nextCall(), try await transport.nextCall()]
        calls[1].answer(try Pictures.png(2, 1))
        await watcher.until("success 2 low | image 2 fading")
        #expect(slot.isLoading)
        calls[0].answer(try Pictures.png(20, 10))
        await watcher.until("success 20 | image 20 fading")
        #expect(!slot.isLoading)
    }

    @Test func slotThatShowsLowResolution_canBeReused() async throws {
        let (slot, watcher) = slot()
        var request = ImageRequest(url: try .test("large.png"))
        request.lowResolution = try .test("small.png")
        slot.load(request)
        let calls = [try await transport.nextCall(), try await transport.nextCall()]
        slot.load(try .test("other"))
        for call in calls { try await call.cancelled() }
        try await transport.nextCall().answer(try Pictures.png(5, 1))
        await watcher.until("success 5 | image 5 fading")
    }

    // MARK: Time, visibility, connection

    @Test func delayedPlaceholder_appearsByTheClock() async throws {
        let (slot, watcher) = slot { $0.placeholderDelay = .milliseconds(300) }
        slot.load(try .test())
        #expect(slot.brief == "loading 0 | none")
        try await clock.sleeper(until: ManualClock.Instant(offset: .milliseconds(300)))
        clock.advance(by: .milliseconds(300))
        await watcher.until("loading 0 | placeholder")
        slot.load(try .test("other"))
        try await clock.sleeper(until: ManualClock.Instant(offset: .milliseconds(600)))
        slot.load(nil as URL?)
        #expect(slot.brief == "empty | none")
    }

    @Test func minimumInterval_isKept() async throws {
        let (slot, watcher) = slot { $0.minimumInterval = .seconds(1) }
        slot.load(try .test())
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        await watcher.until("success 3 | placeholder")
        try await clock.sleeper(until: ManualClock.Instant(offset: .seconds(1)))
        clock.advance(by: .seconds(1))
        await watcher.until("success 3 | image 3 fading")
    }

    @Test func priority_followsVisibility() async throws {
        // Low priorities take one of the two slots, so a load that is raised starts at once.
        var fixture = fixture
        fixture.configuration.download.maximumConcurrentDownloads = 2
        let loader = fixture.makeLoader()
        let slots = try ["first", "second", "third"].map { path in
            let slot = ImageSlot(loader)
            slot.isVisible = false
            slot.load(try .test(path))
            return slot
        }
        let first = try await transport.nextCall()
        await fixture.events.wait { $0.count { if case .began(.queued) = $0 { true } else { false } } >= 2 }
        slots[2].isVisible = true
        let second = try await transport.nextCall()
        #expect(first.request.url.path == "/first" && second.request.url.path == "/third")
        // Back to low: both are low then, and the other one waits.
        slots[2].isVisible = false
        second.answer(try Pictures.png(3, 2))
        first.answer(try Pictures.png(3, 2))
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        #expect(slots.count == 3)
    }

    @Test func returnedConnection_retriesWhatFailedForWantOfOne() async throws {
        let connectivity = Connectivity()
        let loader = fixture.makeLoader()
        let (lost, watcher) = slot(loader) { $0.connectivity = connectivity }
        let (missing, other) = slot(loader) { $0.connectivity = connectivity }
        lost.load(try .test("lost"))
        try await transport.nextCall().fail(.connectionFailed(.lost, detail: "test"))
        await watcher.until("connectionFailed | placeholder")
        missing.load(try .test("missing"))
        try await transport.nextCall().answer(status: 404)
        await other.until("badStatus | placeholder")
        #expect(connectivity.waitingCount == 1)
        connectivity.returned()
        #expect(lost.isLoading && !missing.isLoading)
        let call = try await transport.nextCall()
        #expect(call.request.url.lastPathComponent == "lost")
        call.answer(try Pictures.png(3, 2))
        await watcher.until("success 3 | image 3 fading")
        connectivity.returned()
        #expect(!lost.isLoading && connectivity.waitingCount == 0)
    }

    @Test func connectivity_retainsNoSlot_andLeavesReusedOnesAlone() async throws {
        let connectivity = Connectivity()
        let loader = fixture.makeLoader()
        var (slot, watcher): (ImageSlot?, SlotWatcher?) = self.slot(loader) { $0.connectivity = connectivity }
        slot?.load(try .test())
        try await transport.nextCall().fail(.timedOut(.idle))
        await watcher?.until("timedOut | placeholder")
        #expect(connectivity.waitingCount == 1)
        slot?.load(nil as URL?)
        connectivity.returned()
        #expect(slot?.brief == "empty | none" && transport.callCount == 1)
        weak let weakSlot = slot
        (slot, watcher) = (nil, nil)
        #expect(weakSlot == nil)
    }

    // MARK: Observation

    @Test func pictureInMemory_isOneNotification() async throws {
        let loader = fixture.makeLoader()
        async let loaded = loader.image(for: try .test())
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        _ = try await loaded
        let (slot, watcher) = slot(loader)
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
        let (slot, _) = slot()
        let changes = Recorder<String>()
        let spare = try URL.test("spare")
        slot.onChange = { slot in
            changes.record(slot.brief)
            if slot.phase.error != nil { slot.load(spare) }
        }
        slot.load(try .test())
        try await transport.nextCall().answer(status: 500)
        try await transport.nextCall().answer(try Pictures.png(3, 2))
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
