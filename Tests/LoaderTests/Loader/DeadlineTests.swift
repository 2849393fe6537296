import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// How long a caller waits.
@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
    private let clock = ManualClock()
    private let transport = ScriptedDataLoader()
    private let png: Data

    init() throws { png = try Pictures.png() }

    private func fixture(_ configure: (inout ImageLoader.Configuration) -> Void = { _ in }) throws -> LoaderFixture {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.clock = clock
        fixture.configuration.disk = nil
        configure(&fixture.configuration)
        return fixture
    }

    private func request(_ name: String = "a.png", _ seconds: Int? = 5) throws -> ImageRequest {
        try .test(name) { $0.deadline = seconds.map { .seconds($0) } }
    }

    private func pass(_ seconds: Int) async throws {
        try await clock.sleeper(until: .init(offset: .seconds(seconds)))
        clock.advance(to: .init(offset: .seconds(seconds)))
    }

    private static let late = ImageLoaderError.timedOut(.deadline)

    @Test(arguments: ["image", "data", "handle", "handle of data"])
    func load_endsAtItsDeadline_withItsTransfer(kind: String) async throws {
        let fixture = try fixture()
        let (loader, request) = (fixture.makeLoader(), try request())
        let load = Task {
            switch kind {
            case "image": _ = try await loader.image(for: request)
            case "data": _ = try await loader.data(for: request)
            case "handle": _ = try await loader.imageTask(for: request).value
            default: _ = try await loader.dataTask(for: request).value
            }
        }
        let call = try await transport.nextCall()
        try await pass(5)
        await #expect(throws: Self.late) { try await load.value }
        try await call.cancelled()
        let failures = fixture.events.values.compactMap { if case .failed(_, let end) = $0 { end.error } else { nil } }
        #expect(failures == [Self.late])
    }

    @Test func others_areNotAffected() async throws {
        let fixture = try fixture()
        let loader = fixture.makeLoader()
        let patient = Task { [request = try request("a.png", nil)] in try await loader.image(for: request) }
        let call = try await transport.nextCall()
        let hasty = Task { [request = try request()] in try await loader.image(for: request) }
        await fixture.untilCoalesced(1)
        try await pass(5)
        await #expect(throws: Self.late) { try await hasty.value }
        call.answer(png)
        #expect(try await patient.value.size.width > 0)
        #expect(transport.callCount == 1)
    }

    @Test func waitForATurn_counts() async throws {
        let loader = try fixture { $0.download.maximumConcurrentDownloads = 1 }.makeLoader()
        let first = Task { [request = try request("a.png", nil)] in try await loader.image(for: request) }
        let call = try await transport.nextCall()
        let second = Task { [request = try request("b.png")] in try await loader.image(for: request) }
        try await pass(5)
        await #expect(throws: Self.late) { try await second.value }
        call.answer(png)
        _ = try await first.value
        #expect(transport.callCount == 1)
    }

    @Test func fallbacks_count() async throws {
        let loader = try fixture().makeLoader()
        var request = try request()
        request.fallbacks = [try .test("b.png")]
        let load = Task { [request] in try await loader.image(for: request) }
        try await transport.nextCall().answer(status: 404)
        let fallback = try await transport.nextCall()
        try await pass(5)
        await #expect(throws: Self.late) { try await load.value }
        try await fallback.cancelled()
    }

    @Test func retries_count() async throws {
        let fixture = try fixture { $0.download.retry = RetryPolicy() }
        let loader = fixture.makeLoader()
        let load = Task { [request = try request()] in try await loader.image(for: request) }
        try await transport.nextCall().answer(status: 503)
        await fixture.events.wait { $0.contains { if case .retried = $0 { true } else { false } } }
        try await pass(5)
        await #expect(throws: Self.late) { try await load.value }
    }

    @Test(arguments: [false, true]) func decodingAndEncoding_count(encodes: Bool) async throws {
        let (decoder, gate) = (GatedDecoder(), ThreadGate())
        let encoder = CountingEncoder(gate: gate)
        let loader = try fixture { if !encodes { $0.decode.decoders = ImageDecoders([decoder]) } }.makeLoader()
        let load = Task { [request = try request()] in
            if encodes {
                _ = try await loader.encoded(for: request, as: encoder)
            } else {
                _ = try await loader.image(for: request)
            }
        }
        try await transport.nextCall().answer(png)
        if encodes { await gate.arrivals(1) } else { await decoder.gate.arrivals(1) }
        try await pass(5)
        await #expect(throws: Self.late) { try await load.value }
        gate.open()
        decoder.gate.open()
    }

    @Test func deadlineOfTheLoader_countsUnlessARequestHasOne() async throws {
        let loader = try fixture { $0.deadline = .seconds(9) }.makeLoader()
        let short = Task { [request = try request()] in try await loader.image(for: request) }
        let long = Task { [url = try URL.test("b.png")] in try await loader.image(for: url) }
        for _ in 0..<2 { _ = try await transport.nextCall() }
        try await pass(5)
        await #expect(throws: Self.late) { try await short.value }
        try await pass(9)
        await #expect(throws: Self.late) { try await long.value }
    }

    @Test func cancelledCaller_isCancelled_andNotLate() async throws {
        let loader = try fixture().makeLoader()
        let load = Task { [request = try request()] in try await loader.image(for: request) }
        let call = try await transport.nextCall()
        load.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        try await call.cancelled()
    }

    /// One timer serves all callers until its time.
    @Test func loadInTime_isReturned_andLeavesOneTimer() async throws {
        let loader = try fixture().makeLoader()
        let request = try request()
        let load = Task { try await loader.response(for: request) }
        try await transport.nextCall().answer(png)
        #expect(try await load.value.source == .network)
        #expect(try await loader.response(for: request).source == .memory)
        #expect(loader.imageTask(for: request).result != nil)
        for number in 0..<5 {
            let load = Task { [request = try self.request("\(number).png")] in try await loader.image(for: request) }
            try await transport.nextCall().answer(png)
            _ = try await load.value
        }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(60))
        #expect(clock.sleeperCount == 0)
    }

    @Test func deadlineThatHasPassed_isRefused() async throws {
        let loader = try fixture().makeLoader()
        await #expect(throws: ImageLoaderError.unsupportedConfiguration("a deadline of 0.0 seconds")) {
            try await loader.image(for: request("a.png", 0))
        }
        let never = try fixture { $0.deadline = .zero }.makeLoader()
        await #expect(throws: ImageLoaderError.self) { try await never.image(for: .test()) }
    }
}
