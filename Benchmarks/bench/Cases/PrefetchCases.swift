import Alcedo
import AlcedoTestSupport
import Foundation

/// Prefetching.
enum PrefetchCases {
    static let all: [BenchCase] = [
        // Per image: it is started and stopped again, one of 10,000.
        .timed(
            "prefetch/start-stop-10000", target: 3_000, iterationsPerSample: 10_000,
            ours: { try startsAndStops() })
    ]

    private static func startsAndStops() throws -> Workload {
        let loader = Scripted.loader(ScriptedDataLoader())
        let prefetcher = ImagePrefetcher(loader)
        let urls = try (0..<10_000).map { try Scripted.url("prefetched-\($0).jpg") }
        return Workload { count in
            prefetcher.start(urls.prefix(count))
            prefetcher.stop(urls.prefix(count))
            let progress = await prefetcher.progress
            guard progress.total == 0 else { throw BenchError("\(progress.total) images are still on the list") }
        }
    }
}
