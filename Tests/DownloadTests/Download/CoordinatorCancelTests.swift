import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Once a cancellation has returned, no transfer begins for its caller.
///
/// The coordinator learns of a cancellation in a later turn. So the tests cancel and give slots in one turn.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorCancelTests {
    @Test func cancelledCaller_getsNoSlot() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        await fixture.coordinator.pause()
        let cancelled = try await fixture.queue("cancelled")
        let next = try await fixture.queue("next")
        await fixture.coordinator.inOneTurn {
            cancelled.cancel()
            $0.resume()
        }
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/next")
        fixture.complete(call)
        _ = try await next.value
        await #expect(throws: ImageLoaderError.cancelled) { try await cancelled.value }
        #expect(fixture.transport.callCount == 1)
        let statistics = await fixture.statistics
        #expect(statistics.running == 0 && statistics.queued == 0)
    }

    @Test func callerThatJoinsBeforeTheCancelledOneHasLeft_isServed() async throws {
        let fixture = CoordinatorFixture { $0.maximumConcurrentDownloads = 1 }
        await fixture.coordinator.pause()
        let cancelled = try await fixture.queue("shared")
        let request = try ImageRequest.test("shared")
        let joined = Recorder<Task<Download, any Error>>()
        await fixture.coordinator.inOneTurn {
            cancelled.cancel()
            $0.resume()
            joined.record(fixture.download(request))
        }
        fixture.complete(try await fixture.nextCall())
        #expect(try await joined.values[0].value.body == fixture.body)
        await #expect(throws: ImageLoaderError.cancelled) { try await cancelled.value }
        #expect(fixture.transport.callCount == 1)
    }

    /// The flight of the image is between the caller and the download.
    @Test(arguments: [true, false]) func imageOfACancelledCaller_isLoadedOnlyForOthers(isShared: Bool) async throws {
        let png = try Pictures.png()
        let transport = ScriptedDataLoader { _ in .bytes(png) }
        let (request, events) = (try ImageRequest.test("shared"), Recorder<LoadEvent.Kind>())
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.onEvent { events.record($0.kind) }
        let loader = ImageLoader(configuration)
        await loader.downloads.pause()
        let cancelled = loader.imageTask(for: request)
        await events.wait { $0.contains { if case .began(.queued) = $0 { true } else { false } } }
        let joined = Recorder<LoadTask<ImageResponse>>()
        await loader.downloads.inOneTurn {
            cancelled.cancel()
            $0.resume()
            if isShared { joined.record(loader.imageTask(for: request)) }
        }
        if isShared { _ = try await joined.values[0].value }
        await #expect(throws: ImageLoaderError.cancelled) { try await cancelled.value }
        #expect(transport.callCount == (isShared ? 1 : 0))
    }

    /// A handle that was announced and cancelled before its Task ran doesn't hold a download either.
    @Test func cancelledHandles_holdNothing() async throws {
        let (png, events) = (try Pictures.png(), Recorder<LoadEvent.Kind>())
        let transport = ScriptedDataLoader { _ in .bytes(png) }
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.onEvent { events.record($0.kind) }
        let (loader, request) = (ImageLoader(configuration), try ImageRequest.test("shared"))
        await loader.downloads.pause()
        let first = loader.imageTask(for: request)
        await events.wait { $0.contains { if case .began(.queued) = $0 { true } else { false } } }
        let others = Recorder<LoadTask<ImageResponse>>()
        await loader.downloads.inOneTurn {
            for _ in 0..<100 { others.record(loader.imageTask(for: request)) }
            for handle in [first] + others.values { handle.cancel() }
            $0.resume()
        }
        for handle in [first] + others.values {
            await #expect(throws: ImageLoaderError.cancelled) { try await handle.value }
        }
        #expect(transport.callCount == 0)
    }

    @Test func cancelledCaller_doesNotWaitForTheHook() async throws {
        let gate = ThreadGate()
        let fixture = CoordinatorFixture {
            $0.prepare = RequestPreparation(id: "slow") { _ in gate.enter() }
        }
        let caller = try fixture.download(.test())
        await gate.arrivals(1)
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        gate.open()
        await fixture.until { $0.running == 0 && $0.queued == 0 }
        #expect(fixture.transport.callCount == 0)
    }

    /// Cancels when the slot has just been given, and joins at the same moment.
    @Test func cancellingAndJoiningAsTheSlotIsGiven_losesNobody() async throws {
        let body = Data("whole".utf8)
        for _ in 0..<200 {
            let transport = ScriptedDataLoader { _ in .bytes(body) }
            let fixture = CoordinatorFixture(loader: transport) { $0.maximumConcurrentDownloads = 1 }
            await fixture.coordinator.pause()
            let cancelled = try await fixture.queue("shared")
            let (request, joined) = (try ImageRequest.test("shared"), Recorder<Task<Download, any Error>>())
            await fixture.coordinator.inOneTurn {
                $0.resume()
                cancelled.cancel()
                joined.record(fixture.download(request))
            }
            #expect(try await joined.values[0].value.body == body)
            _ = await cancelled.result
            await fixture.until { $0.running == 0 && $0.queued == 0 }
        }
    }
}
