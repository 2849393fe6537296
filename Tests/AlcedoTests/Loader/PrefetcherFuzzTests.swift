import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo

/// A prefetcher and views that load the same images, at random.
@Suite(.timeLimit(.minutes(Fuzz.steps > 50_000 ? 60 : 2))) struct PrefetcherFuzzTests {
    /// The images that are neither listed nor visible, and the requests for them.
    private final class Unwanted: Sendable {
        private let numbers = Mutex<Set<Int>>([])
        let requests = Recorder<Int>()

        func insert(_ new: some Sequence<Int>) { numbers.withLock { $0.formUnion(new) } }
        func remove(_ old: some Sequence<Int>) { numbers.withLock { $0.subtract(old) } }

        func note(_ number: Int) { if numbers.withLock({ $0.contains(number) }) { requests.record(number) } }
    }

    private let fixture: LoaderFixture
    private let unwanted = Unwanted()
    private let transport: ScriptedDataLoader
    private let urls: [URL]

    init() throws {
        let (png, unwanted) = (try Pictures.png(), unwanted)
        transport = ScriptedDataLoader { request in
            let number = Int(request.url.lastPathComponent) ?? 0
            unwanted.note(number)
            return number % 10 == 7 ? .status(500) : .bytes(png, headers: ["Cache-Control": "max-age=60"])
        }
        fixture = try LoaderFixture(transport)
        urls = try (0..<60).map { try .test("\($0)") }
    }

    /// Under random starts, stops, pauses, loads and cancels, no load is requested that was stopped before it began,
    /// progress adds up, and every slot is given back.
    @Test func randomSteps_keepTheRules() async throws {
        var random = SeededRandom(seed: Fuzz.seed)
        var configuration = fixture.configuration
        configuration.memory.maximumCount = 5
        configuration.disk = nil
        configuration.download.retry = .atOnce()
        let loader = ImageLoader(configuration)
        let prefetcher = ImagePrefetcher(loader, window: 4)
        // The images that were started and not stopped since, and those that views want.
        var listed: Set<Int> = []
        var visible: [LoadTask<ImageResponse>] = []
        for step in 0..<Fuzz.steps / 25 {
            let some = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                urls.indices.randomElement(using: &random) ?? 0
            }
            let requests = some.map { urls[$0] }
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                unwanted.remove(some)
                listed.formUnion(some)
                prefetcher.start(requests)
            case 4..<6:
                listed.subtract(some)
                prefetcher.stop(requests)
            case 6:
                unwanted.remove(some)
                listed = Set(some)
                prefetcher.update(to: requests)
            case 7: prefetcher.pause()
            case 8: prefetcher.resume()
            case 9: prefetcher.setConstrained(Bool.random(using: &random))
            case 10:
                unwanted.remove([some[0]])
                visible.append(loader.imageTask(for: requests[0]))
            default:
                visible.popLast()?.cancel()
                await Task.yield()
            }
            let progress = await prefetcher.progress
            must((0...listed.count).contains(progress.remaining), "step \(step): \(progress)")
            must(unwanted.requests.values.isEmpty, "step \(step): requested \(unwanted.requests.values)")
            guard step.isMultiple(of: 8) else { continue }
            // Until nothing is being sent: such a request may have begun before the image was stopped.
            prefetcher.pause()
            for task in visible { await task.end() }
            visible = []
            while await loader.downloads.statistics.running > 0, !Task.isCancelled { await Task.yield() }
            unwanted.insert(Set(urls.indices).subtracting(listed))
            prefetcher.resume()
        }
        try await end(prefetcher, loader, visible)
    }

    private func end(
        _ prefetcher: ImagePrefetcher, _ loader: ImageLoader, _ visible: [LoadTask<ImageResponse>]
    ) async throws {
        prefetcher.setConstrained(false)
        prefetcher.resume()
        for await progress in prefetcher.progressUpdates where progress.remaining == 0 { break }
        let progress = await prefetcher.progress
        #expect(progress.total == progress.finished + progress.skipped + progress.failed)
        #expect(progress.finished > 0 && progress.failed > 0)
        for task in visible { await task.end() }
        while await loader.downloads.statistics.running > 0, !Task.isCancelled { await Task.yield() }
        let count = transport.callCount
        prefetcher.pause()
        prefetcher.start(urls)
        prefetcher.stopAll()
        prefetcher.resume()
        #expect(await prefetcher.progress.remaining == 0)
        #expect(transport.callCount == count)
        await loader.path.flights.settle()
        #expect(await loader.path.flights.flightCount == 0)
    }
}
