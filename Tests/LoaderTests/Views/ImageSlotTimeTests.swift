import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Slots and the clock, what can be seen, and the connection.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotTimeTests {
    private let fixture: SlotFixture
    private var transport: ScriptedDataLoader { fixture.transport }
    private var clock: ManualClock { fixture.clock }

    init() throws { fixture = try SlotFixture() }

    @Test func delayedPlaceholder_appearsByTheClock() async throws {
        let (slot, watcher) = fixture.slot { $0.placeholderDelay = .milliseconds(300) }
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
        let (slot, watcher) = fixture.slot { $0.minimumInterval = .seconds(1) }
        slot.load(try .test())
        try await fixture.answer(3)
        await watcher.until("success 3 | placeholder")
        try await clock.sleeper(until: ManualClock.Instant(offset: .seconds(1)))
        clock.advance(by: .seconds(1))
        await watcher.until("success 3 | image 3 fading")
    }

    @Test func priority_followsVisibility() async throws {
        // Low priorities take one of the two slots, so a load that is raised starts at once.
        var fixture = fixture
        fixture.loaders.configuration.download.maximumConcurrentDownloads = 2
        let loader = fixture.makeLoader()
        let slots = (0..<3).map { _ in ImageSlot(loader) }
        for slot in slots { slot.isVisible = false }
        slots[0].load(try .test("first"))
        let first = try await transport.nextCall()
        slots[1].load(try .test("second"))
        slots[2].load(try .test("third"))
        await fixture.loaders.events.wait { $0.count { if case .began(.queued) = $0 { true } else { false } } >= 2 }
        slots[2].isVisible = true
        let second = try await transport.nextCall()
        #expect(second.request.url.path == "/third")
        // Back to low: both are low then, and the other one waits until both have ended.
        #expect(await startCount(of: loader, withSlots: 4) == 1)
        slots[2].isVisible = false
        while !Task.isCancelled, await startCount(of: loader, withSlots: 4) > 0 { await Task.yield() }
        first.answer(try Pictures.png(3, 2))
        #expect(await slots[0].settled().brief == "success 3")
        let statistics = await loader.downloads.statistics
        #expect(statistics.running == 1 && statistics.queued == 1)
        second.answer(try Pictures.png(3, 2))
        #expect(try await transport.nextCall().request.url.path == "/second")
        #expect(slots[1].isLoading)
    }

    /// The number of waiting downloads that so many slots would start. Low priorities take half of them.
    private func startCount(of loader: ImageLoader, withSlots count: Int) async -> Int {
        var queue = await loader.downloads.queue
        return queue.setWidth(count, now: .zero).count
    }

    /// A slot out of sight whose download takes up all the slots of low priorities.
    private func hiddenSlot(_ loader: ImageLoader) async throws -> ImageSlot {
        let slot = ImageSlot(loader)
        slot.isVisible = false
        slot.load(try .test("hidden"))
        #expect(try await transport.nextCall().request.url.path == "/hidden")
        return slot
    }

    @Test func lowResolution_hasThePriorityOfTheMoment() async throws {
        var fixture = fixture
        fixture.loaders.configuration.download.maximumConcurrentDownloads = 3
        let loader = fixture.makeLoader()
        let hidden = try await hiddenSlot(loader)
        let slot = ImageSlot(loader)
        slot.isVisible = false
        var request = ImageRequest(url: try .test("large.png"))
        request.lowResolution = try .test("small.png")
        slot.load(request)
        slot.isVisible = true
        _ = try await transport.nextCall(for: .test("large.png"))
        _ = try await transport.nextCall(for: .test("small.png"))
        #expect(slot.isLoading && hidden.isLoading)
    }

    /// The slot asks the server once more, because the disk has answered.
    @Test func secondLoad_hasThePriorityOfTheMoment() async throws {
        var fixture = fixture
        fixture.loaders.configuration.download.maximumConcurrentDownloads = 2
        try await fixture.storeOnDisk("max-age=0, stale-while-revalidate=600")
        let loader = fixture.makeLoader()
        let hidden = try await hiddenSlot(loader)
        let (slot, _) = fixture.slot(loader) { $0.showsStale = true }
        slot.isVisible = false
        slot.load(try .test())
        slot.isVisible = true
        try await fixture.answer(4, ["ETag": "\"2\""])
        #expect(await slot.settled().brief == "success 4")
        #expect(hidden.isLoading)
    }

    /// It may wait for its turn to be decoded.
    @Test func staleImageOnDisk_hasThePriorityOfTheMoment() async throws {
        var fixture = fixture
        try await fixture.storeOnDisk()
        let decoder = GatedDecoder()
        fixture.loaders.configuration.decode.maximumConcurrentDecodes = 1
        fixture.loaders.configuration.decode.decoders = ImageDecoders([decoder])
        let loader = fixture.makeLoader()
        func untilNext(_ priority: RequestPriority) async {
            while !Task.isCancelled, loader.path.decoding.counts.next != priority { await Task.yield() }
        }
        let other = loader.imageTask(for: try .test("other.png"))
        try await fixture.answer(5)
        await decoder.gate.arrivals(1)
        let (slot, watcher) = fixture.slot(loader) { $0.showsStale = true }
        slot.isVisible = false
        slot.load(try .test())
        await untilNext(.low)
        slot.isVisible = true
        await untilNext(.normal)
        slot.load(try .test { $0.priority = .high })
        await untilNext(.high)
        decoder.gate.open()
        await watcher.until("success 3 stale | image 3 fading")
        try await transport.nextCall().answer(status: 304, headers: ["ETag": "\"1\""])
        #expect(await slot.settled().brief == "success 3")
        _ = try await other.value
    }

    @Test func returnedConnection_retriesWhatFailedForWantOfOne() async throws {
        let connectivity = Connectivity()
        let loader = fixture.makeLoader()
        let (lost, watcher) = fixture.slot(loader) { $0.connectivity = connectivity }
        let (missing, other) = fixture.slot(loader) { $0.connectivity = connectivity }
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

    /// The picture may be an old one.
    @Test func returnedConnection_refreshesAStalePicture() async throws {
        let connectivity = Connectivity()
        let (slot, watcher) = fixture.slot(try await fixture.loaderWithStalePicture()) {
            $0.showsStale = true
            $0.connectivity = connectivity
        }
        slot.load(try .test())
        try await transport.nextCall().fail(.connectionFailed(.lost, detail: "test"))
        await watcher.untilLoaded()
        #expect(slot.shown.picture.image?.size.width == 3)
        if slot.error != nil {
            connectivity.returned()
            try await fixture.answer(4, ["ETag": "\"2\""])
            await watcher.until("success 4 | image 4 fading")
        } else {
            Issue.record("the failure isn't known")
        }
    }

    @Test func connectivity_retainsNoSlot_andLeavesReusedOnesAlone() async throws {
        let connectivity = Connectivity()
        let loader = fixture.makeLoader()
        var (slot, watcher): (ImageSlot?, SlotWatcher?) = fixture.slot(loader) { $0.connectivity = connectivity }
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
}
