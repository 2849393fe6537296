import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Nothing blocks the cooperative pool.
@Suite(.timeLimit(.minutes(1))) struct BlockingTests {
    private let cores = CoreCount.current

    @Test func whileSystemCallsAndDecodesAreHeld_taskRuns_andMemoryHitAnswers() async throws {
        let png = try Pictures.png()
        let decoder = GatedDecoder()
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
        fixture.configuration.decode.decoders = ImageDecoders([decoder])
        let loader = fixture.makeLoader()
        decoder.gate.open()
        _ = try await loader.image(for: .test("hit.png"))
        await loader.flush()

        // From here on every decode and every system call stands still.
        let (decodes, operations) = (ThreadGate(), ThreadGate())
        decoder.setGate(decodes)
        for call in SystemCall.allCases { fixture.calls.hold(call, at: operations) }
        let held = try (0..<(2 * cores)).map { number in
            // A look into the directory would be held before the decode.
            var request = try ImageRequest.test("held\(number).png")
            request.readPolicy = .reload
            return Task { [request] in try await loader.image(for: request) }
        }
        let stores = (0..<(2 * cores)).map { _ in fixture.makeLoader() }
        let reads = stores.map { store in Task { try await store.image(for: .test("hit.png")) } }
        await decodes.arrivals(cores)
        await operations.arrivals(2 * cores)

        #expect(await Task.detached { 42 }.value == 42)
        #expect(try await loader.image(for: .test("hit.png")).size == PixelSize(width: 8, height: 6))
        operations.open()
        decodes.open()
        for task in held + reads { _ = try await task.value }
        for store in stores + [loader] { await store.flush() }
    }

    @Test func systemCalls_refuseThreadsOfPool() async {
        await #expect(processExitsWith: .failure) {
            _ = try FileSystem(FaultySystemCalls()).names("/")
        }
    }
}
