import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Events carry the id of their load, and a handle tells how its load ended.
@Suite(.timeLimit(.minutes(1))) struct LoadIDTests {
    private let transport = ScriptedDataLoader()
    private let recorder = EventRecorder()
    private let loader: ImageLoader
    private let png: Data

    init() throws {
        png = try Pictures.png()
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.download.retry = .none
        configuration.eventSinks = [recorder]
        loader = ImageLoader(configuration)
    }

    @Test func downloadEvents_carryLeadersID_andJoinersNameIt() async throws {
        let first = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        let second = loader.imageTask(for: try .test())
        _ = try await recorder.next { if case .coalesced = $0.kind { true } else { false } }
        call.answer(png)
        _ = try await (first.value, second.value)
        await first.end()
        for _ in 0..<2 { _ = try await recorder.nextEnd(of: .test()) }
        #expect(first.id < second.id)
        for event in recorder.events {
            switch event.kind {
            case .coalesced(let leader): #expect(event.load == second.id && leader == first.id)
            case .loaded, .requested, .ended(.memory, _): #expect(event.load == first.id || event.load == second.id)
            default: #expect(event.load == first.id)
            }
        }
    }

    @Test func loadsWithoutHandle_haveUniqueIDs() async throws {
        let loads = try (0..<3).map { number in
            let request = try ImageRequest.test("\(number)")
            return Task { [loader] in try await loader.image(for: request) }
        }
        for _ in loads { try await transport.nextCall().answer(png) }
        for load in loads { _ = try await load.value }
        let loaded = recorder.events.filter { if case .loaded = $0.kind { true } else { false } }
        #expect(Set(loaded.compactMap(\.load)).count == 3)
        let started = recorder.events.filter { if case .began(.download) = $0.kind { true } else { false } }
        #expect(Set(started.compactMap(\.load)) == Set(loaded.compactMap(\.load)))
    }

    @Test func handle_reportsResult() async throws {
        let task = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        #expect(task.result == nil)
        let waiting = Task { await task.end() }
        waiting.cancel()
        // The wait ends, and not the load.
        await waiting.value
        #expect(task.result == nil && call.end == nil)
        call.answer(png)
        await task.end()
        guard case .success(let response)? = task.result else {
            Issue.record("\(String(describing: task.result))")
            return
        }
        #expect(response.image.size == PixelSize(width: 8, height: 6))
        let failing = loader.dataTask(for: try .test("missing"))
        try await transport.nextCall().fail(.badStatus(404))
        await failing.end()
        #expect(throws: ImageLoaderError.badStatus(404)) { try failing.result?.get() }
    }

    @Test func requestsWithDifferentPriorities_areEqual() throws {
        var urgent = try ImageRequest.test()
        urgent.priority = .veryHigh
        let plain = try ImageRequest.test()
        #expect(urgent == plain && Set([urgent, plain]).count == 1)
        urgent.readPolicy = .reload
        #expect(urgent != plain)
    }
}
