import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Waiting until a slot's load has ended.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotWaitingTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let slot: ImageSlot

    init() throws {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.disk = nil
        self.fixture = fixture
        slot = ImageSlot(fixture.makeLoader())
    }

    /// A Task that waits for the slot, once it does.
    private func waiter() async -> Task<ImageSlot.Phase, Never> {
        let count = slot.settlers.count
        let task = Task { [slot] in await slot.settled() }
        while slot.settlers.count == count, !Task.isCancelled { await Task.yield() }
        return task
    }

    @Test func everyOutcome_isReturned() async throws {
        #expect(await slot.settled().brief == "empty")
        slot.load(try .test())
        let waiters = [await waiter(), await waiter(), await waiter()]
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        for waiter in waiters { #expect(await waiter.value.brief == "success 3") }
        #expect(slot.settlers.isEmpty)
        // It is there, and nothing is loaded.
        #expect(await slot.settled().brief == "success 3")

        slot.load(try .test("missing"))
        let failing = await waiter()
        try await transport.nextCall().answer(status: 404)
        #expect(await failing.value.error == .badStatus(404))
    }

    @Test func endOfTheLoad_byTheProgram_endsTheWait() async throws {
        slot.load(try .test())
        let cancelled = await waiter()
        slot.cancel()
        #expect(await cancelled.value.brief == "empty")
        slot.load(try .test())
        let cleared = await waiter()
        slot.clear()
        #expect(await cleared.value.brief == "empty")
    }

    @Test func cancelledWait_returnsAtOnce_andTheLoadGoesOn() async throws {
        slot.load(try .test())
        let waiting = await waiter()
        waiting.cancel()
        #expect(await waiting.value.brief == "loading 0")
        #expect(slot.isLoading && slot.settlers.isEmpty)
        let late = Task { [slot] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await slot.settled()
        }
        #expect(await late.value.brief == "loading 0")
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        #expect(await slot.settled().brief == "success 3")
    }

    @Test func nextLoad_isWaitedForAsWell() async throws {
        slot.load(try .test("first"))
        let waiting = await waiter()
        let first = try await transport.nextCall()
        slot.load(try .test("second"))
        try await first.cancelled()
        try await transport.nextCall().answer(status: 404)
        #expect(await waiting.value.error == .badStatus(404))
    }

    /// Also one that the program begins when it hears of the end.
    @Test func loadWithinOnChange_isWaitedFor() async throws {
        let spare = try URL.test("spare")
        slot.onChange = { slot in
            if slot.phase.error != nil { slot.load(spare) }
        }
        slot.load(try .test())
        let waiting = await waiter()
        try await transport.nextCall().answer(status: 404)
        try await transport.nextCall().answer(try Pictures.png(3, 2))
        #expect(await waiting.value.brief == "success 3")
        slot.onChange = nil
    }

    /// A stale image that is shown meanwhile isn't the end.
    @Test func staleImage_isNoEnd() async throws {
        var fixture = fixture
        fixture.configuration.memory.reuseWindow = .zero
        let loader = fixture.makeLoader()
        async let loaded = loader.image(for: try .test())
        try await transport.nextCall().answer(
            try Pictures.png(3, 2), headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        _ = try await loaded
        var settings = ImageSlot.Settings()
        settings.showsStale = true
        let slot = ImageSlot(loader, settings: settings)
        slot.load(try .test())
        #expect(slot.phase.response?.isStale == true && slot.isLoading)
        let waiting = Task { await slot.settled() }
        try await transport.nextCall().answer(try Pictures.png(4, 2), headers: ["ETag": "\"2\""])
        #expect(await waiting.value.brief == "success 4")
    }
}
