import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Slots that show one picture after another: stale, smaller, asked for again.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotSequenceTests {
    private let fixture: SlotFixture
    private var transport: ScriptedDataLoader { fixture.transport }

    init() throws { fixture = try SlotFixture() }

    @Test func reload_asksTheServer_andKeepsThePicture() async throws {
        let (slot, watcher) = fixture.slot()
        slot.load(try .test())
        try await fixture.answer(3, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        await watcher.until("success 3 | image 3 fading")
        slot.reload()
        #expect(slot.brief == "loading 0 | image 3 fading")
        let confirmed = try await transport.nextCall()
        #expect(confirmed.request.headers["If-None-Match"] == "\"1\"")
        let number = slot.shown.number
        confirmed.answer(status: 304, headers: ["ETag": "\"1\""])
        await watcher.until("success 3 | image 3 fading")
        #expect(slot.shown.number == number)
        slot.reload()
        try await fixture.answer(4, ["ETag": "\"2\""])
        await watcher.until("success 4 | image 4 fading")
        #expect(slot.request == ImageRequest(url: try .test()))
    }

    @Test func reloadOfAnEmptySlot_doesNothing() {
        let (slot, watcher) = fixture.slot()
        slot.reload()
        slot.cancel()
        #expect(watcher.changes.values.isEmpty && slot.brief == "empty | none")
    }

    @Test func staleImageInMemory_isShownAtOnce_andThenTheFreshOne() async throws {
        let loader = try await fixture.loaderWithStalePicture()
        let (slot, watcher) = fixture.slot(loader) { $0.showsStale = true }
        slot.load(try .test())
        #expect(slot.brief == "success 3 stale | image 3" && slot.isLoading)
        try await fixture.answer(4, ["ETag": "\"2\""])
        await watcher.until("success 4 | image 4 fading")
        #expect(!slot.isLoading)
        // Without the setting, nothing stale is shown.
        let (strict, _) = fixture.slot(loader)
        try await fixture.store("other", by: loader)
        strict.load(try .test("other"))
        #expect(strict.brief == "loading 0 | placeholder")
    }

    @Test func reload_doesNotDrawTheStaleImageAgain() async throws {
        let (slot, _) = fixture.slot(try await fixture.loaderWithStalePicture()) {
            $0.showsStale = true
            $0.transition = .always
        }
        slot.load(try .test())
        let number = slot.shown.number
        slot.reload()
        #expect(slot.brief == "success 3 stale | image 3 fading" && slot.isLoading && slot.shown.number == number)
    }

    @Test(arguments: [true, false]) func staleImageOnDisk_isShown_untilTheServerHasAnswered(isConfirmed: Bool)
        async throws
    {
        var fixture = fixture
        try await fixture.storeOnDisk()
        let (slot, watcher) = fixture.slot { $0.showsStale = true }
        slot.load(try .test())
        let call = try await transport.nextCall()
        await watcher.until("success 3 stale | image 3 fading")
        #expect(slot.isLoading)
        if isConfirmed {
            call.answer(status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
            await watcher.until("success 3 | image 3 fading")
        } else {
            call.answer(try Pictures.png(4, 2), headers: ["ETag": "\"2\""])
            await watcher.until("success 4 | image 4 fading")
        }
        #expect(!slot.isLoading)
    }

    /// Stale, but permitted to be used while it is revalidated: the slot wants the new one nevertheless.
    @Test func imageThatIsRevalidatedBehind_isReplaced() async throws {
        let loader = try await fixture.loaderWithStalePicture("max-age=0, stale-while-revalidate=600")
        let (slot, watcher) = fixture.slot(loader) { $0.showsStale = true }
        slot.load(try .test())
        #expect(slot.shown.picture.image?.size.width == 3 && slot.isLoading)
        try await fixture.answer(4, ["ETag": "\"2\""])
        await watcher.until("success 4 | image 4 fading")
    }

    /// The disk has a stale image that may be used while it is revalidated.
    @Test(arguments: [true, false]) func changedSettings_applyToLaterLoads(showsStale: Bool) async throws {
        var fixture = fixture
        try await fixture.storeOnDisk("max-age=0, stale-while-revalidate=600")
        let (slot, _) = fixture.slot { $0.showsStale = showsStale }
        let reasons = Recorder<StaleReason?>()
        slot.onChange = { reasons.record($0.phase.response?.staleReason) }
        slot.load(try .test())
        slot.settings.showsStale.toggle()
        await reasons.wait { $0.contains(.whileRevalidating) }
        #expect(slot.isLoading == showsStale)
        // The slot's own revalidation, or the one in the background.
        try await fixture.answer(4, ["ETag": "\"2\""])
        #expect(await slot.settled().brief == (showsStale ? "success 4" : "success 3 stale"))
    }

    @Test func reload_asksTheServer_alsoForWhatOnlyTheDiskHas() async throws {
        var fixture = fixture
        try await fixture.storeOnDisk("max-age=600")
        fixture.loaders.configuration.memory.maximumBytes = 0
        let (slot, watcher) = fixture.slot { $0.showsStale = true }
        slot.load(try .test())
        await watcher.until("success 3 | image 3 fading")
        slot.reload()
        let call = try await transport.nextCall()
        #expect(call.request.headers["If-None-Match"] == "\"1\"")
        call.answer(try Pictures.png(4, 2), headers: ["ETag": "\"2\""])
        await watcher.until("success 4 | image 4 fading")
    }

    @Test(arguments: [CacheReadPolicy.cachedOnly, .reload], [true, false])
    func reload_keepsPoliciesThatSayWhomToAsk(policy: CacheReadPolicy, isOfTheLoader: Bool) async throws {
        var fixture = fixture
        if isOfTheLoader { fixture.loaders.configuration.readPolicy = policy }
        let loader = fixture.makeLoader()
        #expect(loader.readPolicy(for: ImageRequest(url: try .test())) == (isOfTheLoader ? policy : .http))
        var request = ImageRequest(url: try .test())
        if !isOfTheLoader { request.readPolicy = policy }
        try await loader.store(DecodedImage(bitmap: try Pictures.plain(3, 2)), for: request, in: .memory)
        let (slot, watcher) = fixture.slot(loader)
        slot.load(request)
        if policy == .reload {
            try await fixture.answer(4)
            await watcher.until("success 4 | image 4 fading")
        }
        slot.reload()
        if policy == .cachedOnly {
            #expect(slot.brief == "success 3 | image 3" && transport.callCount == 0)
        } else {
            let call = try await transport.nextCall()
            #expect(call.request.headers["Cache-Control"] == "no-cache")
        }
    }

    /// The disk answers after the connection was refused.
    @Test func staleImageOnDisk_isShown_withoutAConnection() async throws {
        var fixture = fixture
        try await fixture.storeOnDisk()
        let refusing = ScriptedDataLoader { _ in .failure(.connectionFailed(.refused, detail: "")) }
        fixture.loaders.configuration.dataLoader = refusing
        let (slot, watcher) = fixture.slot { $0.showsStale = true }
        slot.load(try .test())
        await watcher.changes.wait { $0.last?.hasPrefix("success 3 stale") == true }
        await watcher.untilLoaded()
        #expect(slot.error?.kind == .connectionFailed && slot.shown.picture.image?.size.width == 3)
    }

    /// The prefetch ends in the turn in which the slot begins: its download goes on for the slot.
    @Test(arguments: [true, false]) func prefetchedImage_isHandedOver(showsStale: Bool) async throws {
        let loader = fixture.makeLoader()
        let prefetcher = ImagePrefetcher(loader)
        prefetcher.start([try URL.test()])
        let call = try await transport.nextCall()
        let (slot, watcher) = fixture.slot(loader) { $0.showsStale = showsStale }
        slot.load(try .test())
        prefetcher.stop([try URL.test()])
        #expect(await prefetcher.progress.total == 0)
        call.answer(try Pictures.png(3, 2))
        await watcher.until("success 3 | image 3 fading")
        #expect(transport.callCount == 1)
    }

    // MARK: Low resolution

    /// Loads a picture that has a smaller version, and waits for the requests for both.
    private func loadLarge(
        into slot: ImageSlot
    ) async throws -> (large: ScriptedDataLoader.Call, small: ScriptedDataLoader.Call) {
        var request = ImageRequest(url: try .test("large.png"))
        request.lowResolution = try .test("small.png")
        slot.load(request)
        // The smaller one begins with the other, and may arrive before it.
        return (
            try await transport.nextCall(for: .test("large.png")), try await transport.nextCall(for: .test("small.png"))
        )
    }

    /// The smaller version has other pixels at the region's position.
    @Test func lowResolution_isLeftOut_ofARegion() async throws {
        let (slot, watcher) = fixture.slot()
        var request = ImageRequest(url: try .test("large.png"))
        request.lowResolution = try .test("small.png")
        request.region = PixelRectangle(x: 0, y: 0, size: PixelSize(width: 10, height: 5))
        slot.load(request)
        let large = try await transport.nextCall(for: .test("large.png"))
        let bytes = try Pictures.png(20, 10)
        large.respond(expectedBytes: bytes.count)
        large.send(bytes.prefix(10))
        await watcher.until("loading 10/\(bytes.count) | placeholder")
        large.send(bytes.dropFirst(10))
        large.finish()
        await watcher.untilLoaded()
        #expect(slot.shown.picture.image?.size.width == 10 && transport.callCount == 1)
    }

    @Test func lowResolution_comesFirst() async throws {
        let (slot, watcher) = fixture.slot()
        let (large, small) = try await loadLarge(into: slot)
        small.answer(try Pictures.png(2, 1))
        await watcher.until("success 2 low | image 2 fading")
        #expect(slot.isLoading)
        large.answer(try Pictures.png(20, 10))
        await watcher.until("success 20 | image 20 fading")
        #expect(!slot.isLoading)
    }

    /// A cell that went away and comes back must not stay blurred.
    @Test(arguments: [true, false]) func lowResolutionAlone_isNotTheImage(isCancelled: Bool) async throws {
        let (slot, watcher) = fixture.slot()
        let (large, small) = try await loadLarge(into: slot)
        small.answer(try Pictures.png(2, 1))
        await watcher.until("success 2 low | image 2 fading")
        if isCancelled {
            slot.cancel()
            try await large.cancelled()
        } else {
            large.answer(status: 500)
            await watcher.untilLoaded()
            #expect(slot.error == .badStatus(500))
        }
        #expect(slot.brief == "success 2 low | image 2 fading" && !slot.isLoading)
        slot.load(slot.request)
        #expect(slot.isLoading && slot.error == nil && slot.shown.picture.image?.size.width == 2)
        let again = try await transport.nextCall(for: .test("large.png"))
        again.answer(try Pictures.png(20, 2))
        await watcher.until("success 20 | image 20 fading")
    }

    @Test func reload_loadsNoSmallerVersionOfTheImageThatIsShown() async throws {
        let loader = fixture.makeLoader()
        let (slot, watcher) = fixture.slot(loader)
        let (large, small) = try await loadLarge(into: slot)
        large.answer(try Pictures.png(20, 10))
        try await small.cancelled()
        await watcher.until("success 20 | image 20 fading")
        slot.reload()
        let again = try await transport.nextCall(for: .test("large.png"))
        again.respond(expectedBytes: 100)
        again.send(try Pictures.png(20, 10).prefix(10))
        // The load has reported its start before.
        await watcher.until("loading 10/100 | image 20 fading")
        let (other, _) = fixture.slot(loader)
        other.load(try .test("other"))
        #expect(try await transport.nextCall().request.url.lastPathComponent == "other")
        again.fail(.timedOut(.idle))
        await watcher.untilLoaded()
        // The stale image counts as loaded after an error.
        #expect(slot.phase.response?.staleReason == .afterError && other.isLoading)
        #expect(slot.shown.picture.image?.size.width == 20)
    }

    @Test func slotThatShowsLowResolution_canBeReused() async throws {
        let (slot, watcher) = fixture.slot()
        let (large, small) = try await loadLarge(into: slot)
        slot.load(try .test("other"))
        for call in [large, small] { try await call.cancelled() }
        try await fixture.answer(5)
        await watcher.until("success 5 | image 5 fading")
    }
}
