import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Slots that show a stale image while it is revalidated: the server is asked once.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotRevalidationTests {
    /// Permits the image to be used while it is revalidated.
    private static let permission = "max-age=0, stale-while-revalidate=600"

    private let fixture: SlotFixture
    private var transport: ScriptedDataLoader { fixture.transport }

    init() throws { fixture = try SlotFixture() }

    /// A slot that shows stale images, and the reasons why those that it has shown were stale.
    private func makeSlot(
        _ loader: ImageLoader, _ connectivity: Connectivity? = nil
    ) -> (ImageSlot, Recorder<StaleReason?>) {
        let (slot, _) = fixture.slot(loader) { ($0.showsStale, $0.connectivity) = (true, connectivity) }
        let reasons = Recorder<StaleReason?>()
        slot.onChange = { reasons.record($0.phase.response?.staleReason) }
        return (slot, reasons)
    }

    /// A loader whose disk has the image.
    private func loaderWithImageOnDisk() async throws -> ImageLoader {
        var fixture = fixture
        // Another load may have it in memory just before.
        fixture.loaders.configuration.memory.reuseWindow = .zero
        try await fixture.storeOnDisk(Self.permission)
        return fixture.makeLoader()
    }

    /// Confirms the image, or sends another one.
    private func answer(_ call: ScriptedDataLoader.Call, isConfirmed: Bool) throws {
        #expect(call.request.headers["If-None-Match"] == "\"1\"")
        if isConfirmed {
            call.answer(status: 304, headers: ["ETag": "\"1\"", "Cache-Control": Self.permission])
        } else {
            call.answer(try Pictures.png(4, 2), headers: ["ETag": "\"2\"", "Cache-Control": Self.permission])
        }
    }

    /// Closes the loader, so that no request can follow, and checks that there was one besides that of the first load.
    private func expectOneRequest(by loader: ImageLoader) async {
        await loader.close()
        #expect(transport.callCount == 2)
    }

    @Test(arguments: [true, false], [[], [1], [1, 2]])
    func imageOnDisk_isRevalidatedOnce(isConfirmed: Bool, processors: [Int]) async throws {
        let loader = try await loaderWithImageOnDisk()
        let (slot, reasons) = makeSlot(loader)
        let runs = CountingProcessor.Runs()
        slot.load(try .test { $0.processors = processors.map { CountingProcessor($0, runs) } })
        await reasons.wait { $0.contains(.whileRevalidating) }
        #expect(slot.isLoading && slot.shown.picture.image?.size.width == 3)
        let call = try await transport.nextCall()
        // Caches on the way may answer as they may to the revalidation in the background.
        #expect(call.request.headers["Cache-Control"] == nil)
        try answer(call, isConfirmed: isConfirmed)
        #expect(await slot.settled().brief == (isConfirmed ? "success 3" : "success 4"))
        #expect(slot.shown.picture.image?.size.width == (isConfirmed ? 3 : 4) && slot.error == nil)
        await expectOneRequest(by: loader)
    }

    /// The stale image isn't what was asked for.
    @Test func cancelledRevalidation_isNoEndOfALoad() async throws {
        let loader = try await loaderWithImageOnDisk()
        let (slot, reasons) = makeSlot(loader)
        slot.load(try .test())
        await reasons.wait { $0.contains(.whileRevalidating) }
        _ = try await transport.nextCall()
        slot.cancel()
        #expect(slot.phase.response != nil && !slot.isLoading && slot.endedLoads == 0)
        // The load begins again, and ends.
        slot.load(try .test())
        try answer(try await transport.nextCall(), isConfirmed: true)
        #expect(await slot.settled().brief == "success 3" && slot.endedLoads == 1)
        await loader.close()
    }

    /// The policy never confirms what is on disk, so that it isn't shown first.
    @Test(arguments: [CacheReadPolicy.reload, .immutable])
    func policyWithoutRevalidation_loadsOnce(_ policy: CacheReadPolicy) async throws {
        let loader = try await loaderWithImageOnDisk()
        let (slot, reasons) = makeSlot(loader)
        slot.load(try .test { $0.readPolicy = policy })
        if policy == .reload { try await transport.nextCall().answer(try Pictures.png(4, 2)) }
        #expect(await slot.settled().response?.image.size.width == (policy == .reload ? 4 : 3))
        await loader.close()
        #expect(!reasons.values.contains(.unconfirmed) && !reasons.values.contains(.whileRevalidating))
    }

    /// Another caller was given the image, so that it is being revalidated in the background.
    @Test(arguments: [true, false]) func imageInMemory_isRevalidatedOnce(isConfirmed: Bool) async throws {
        let loader = try await fixture.loaderWithStalePicture(Self.permission)
        #expect(try await loader.response(for: .test()).staleReason == .whileRevalidating)
        let call = try await transport.nextCall()
        let (slot, _) = makeSlot(loader)
        slot.load(try .test())
        #expect(slot.brief == "success 3 stale | image 3" && slot.isLoading)
        await fixture.loaders.untilCoalesced(1)
        try answer(call, isConfirmed: isConfirmed)
        #expect(await slot.settled().brief == (isConfirmed ? "success 3" : "success 4"))
        await expectOneRequest(by: loader)
    }

    @Test func slots_shareTheRevalidation() async throws {
        let loader = try await loaderWithImageOnDisk()
        let slots = [makeSlot(loader), makeSlot(loader)]
        slots[0].0.load(try .test())
        let call = try await transport.nextCall()
        slots[1].0.load(try .test())
        await fixture.loaders.untilCoalesced(1)
        try answer(call, isConfirmed: false)
        for (slot, _) in slots { #expect(await slot.settled().brief == "success 4") }
        await expectOneRequest(by: loader)
    }

    @Test(arguments: [true, false])
    func failedRevalidation_leavesTheStaleImage_andTheError(isOnDisk: Bool) async throws {
        let loader =
            if isOnDisk {
                try await loaderWithImageOnDisk()
            } else {
                try await fixture.loaderWithStalePicture(Self.permission)
            }
        let connectivity = Connectivity()
        let (slot, reasons) = makeSlot(loader, connectivity)
        slot.load(try .test())
        await reasons.wait { $0.contains(isOnDisk ? .whileRevalidating : .unconfirmed) }
        try await transport.nextCall().fail(.connectionFailed(.lost, detail: "test"))
        #expect(await slot.settled().brief == "success 3 stale")
        #expect(slot.error?.kind == .connectionFailed && slot.shown.picture.image?.size.width == 3)
        #expect(connectivity.waitingCount == 1)
        await expectOneRequest(by: loader)
    }

    /// The image of a request with fallbacks stays where the server's failure permits that: it isn't replaced by that
    /// of a fallback.
    @Test func failedRevalidation_loadsNoFallback() async throws {
        let loader = try await loaderWithImageOnDisk()
        let (slot, reasons) = makeSlot(loader)
        slot.load(try .test { $0.fallbacks = [try .test("fallback.png")] })
        await reasons.wait { $0.contains(.whileRevalidating) }
        try await transport.nextCall().answer(status: 500)
        #expect(await slot.settled().response?.staleReason == .afterError)
        await expectOneRequest(by: loader)
    }

    /// A slot that shows the stale image while the server is asked.
    private func revalidatingSlot(_ loader: ImageLoader) async throws -> (ImageSlot, ScriptedDataLoader.Call) {
        let (slot, reasons) = makeSlot(loader)
        slot.load(try .test())
        await reasons.wait { $0.contains(.whileRevalidating) }
        return (slot, try await transport.nextCall())
    }

    @Test func cancelledSlot_endsItsRevalidation() async throws {
        let loader = try await loaderWithImageOnDisk()
        let (slot, call) = try await revalidatingSlot(loader)
        slot.cancel()
        try await call.cancelled()
        #expect(!slot.isLoading && slot.phase.brief == "success 3 stale" && slot.error == nil)
        await expectOneRequest(by: loader)
    }

    /// The server was to be asked for another caller, too.
    @Test func cancelledSlot_leavesTheRevalidationToOthers() async throws {
        let loader = try await loaderWithImageOnDisk()
        let (slot, call) = try await revalidatingSlot(loader)
        let count = await loader.coalescedLoadCount
        #expect(try await loader.response(for: .test()).staleReason == .whileRevalidating)
        while !Task.isCancelled, await loader.coalescedLoadCount == count { await Task.yield() }
        slot.cancel()
        try answer(call, isConfirmed: false)
        await fixture.loaders.events.wait { events in
            events.contains { if case .revalidated = $0 { true } else { false } }
        }
        #expect(loader.cachedResponse(for: try .test())?.image.size.width == 4)
        await expectOneRequest(by: loader)
    }

    /// The revalidation in the background is the loader's.
    @Test func cancelledSlot_leavesTheLoadersRevalidation() async throws {
        let loader = try await fixture.loaderWithStalePicture(Self.permission)
        #expect(try await loader.response(for: .test()).staleReason == .whileRevalidating)
        let call = try await transport.nextCall()
        let (slot, _) = makeSlot(loader)
        slot.load(try .test())
        await fixture.loaders.untilCoalesced(1)
        slot.cancel()
        try answer(call, isConfirmed: false)
        let changes = await fixture.loaders.events.wait { events in
            events.contains { if case .revalidated = $0 { true } else { false } }
        }
        #expect(changes.contains { if case .revalidated(_, true) = $0 { true } else { false } })
        #expect(slot.brief == "success 3 stale | image 3")
        #expect(loader.cachedResponse(for: try .test())?.image.size.width == 4)
        await expectOneRequest(by: loader)
    }
}
