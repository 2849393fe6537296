import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The last caller leaves while a processor runs that takes no notice: it ends, and the next one doesn't begin.
@Suite(.timeLimit(.minutes(1))) struct ProcessorCancellingTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture
    private let runs = CountingProcessor.Runs()

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ contents: DiskContents?) -> ImageLoader {
        var configuration = fixture.configuration
        if let contents { configuration.disk?.contents = contents } else { configuration.disk = nil }
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ numbers: Int...) throws -> ImageRequest {
        try .test("a.png") { $0.processors = numbers.map { CountingProcessor($0, runs) } }
    }

    /// Cancels a load during the first run of a processor, which goes on until it has been told, and then succeeds.
    /// Returns when nothing works for the load any more.
    private func cancelDuringFirstRun(of request: ImageRequest, _ loader: ImageLoader) async {
        let steps = Recorder<String>()
        runs.gate.withLock {
            $0 = { context in
                steps.record("begun")
                while !context.cancellation.isCancelled { sched_yield() }
                steps.record("told")
            }
        }
        let task = Task { try await loader.image(for: request) }
        await steps.wait { !$0.isEmpty }
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        await steps.wait { $0.count > 1 }
        await loader.path.flights.ended()
        #expect(steps.values == ["begun", "told"])
        #expect(loader.path.flights.count == 0)
        runs.gate.withLock { $0 = nil }
    }

    @Test(arguments: [nil, DiskContents.originals, .processed])
    func secondProcessor_neverRuns(contents: DiskContents?) async throws {
        let loader = loader(contents)
        await cancelDuringFirstRun(of: try request(1, 2), loader)
        #expect(runs.all == [1])
        // Nothing comes later either, and nothing of it was kept.
        _ = try await loader.image(for: request(3))
        #expect(try runs.all == [1, 3] && loader.cachedImage(for: request(1, 2)) == nil)
        _ = try await loader.image(for: request(1, 2))
        #expect(runs.all == [1, 3, 1, 2])
    }

    /// One load runs all processors then, because it is the one that was asked whether its image is still valid.
    @Test(arguments: [nil, DiskContents.originals, .processed])
    func secondProcessor_neverRuns_onPictureThatReplacesAnother(contents: DiskContents?) async throws {
        let loader = loader(contents)
        _ = try await loader.image(for: request(1, 2))
        origin.pass(61)
        origin.change { $0.widths["/a.png"] = 44 }
        await cancelDuringFirstRun(of: try request(1, 2), loader)
        #expect(runs.all == [1, 2, 1] && origin.conditionalCount == 1)
        #expect(try await loader.image(for: request(1, 2)).size.width == 44)
        #expect(runs.all == [1, 2, 1, 1, 2])
    }
}
