import Alcedo
import AlcedoTestSupport
import Foundation

/// Prefetching.
enum PrefetchCases {
    static let all: [BenchCase] = [
        // Per image: starts and stops one of 10,000.
        .timed(
            "prefetch/start-stop-10000", target: 3_000, iterationsPerSample: 10_000,
            ours: { try startsAndStops() }),
        // The time from visible to shown, compared with the same feed without prefetching.
        scroll("prefetch/scroll-p50", percentile: 50, target: nil),
        scroll("prefetch/scroll-p95", percentile: 95, target: 0.35),
        scroll("prefetch/scroll-p99", percentile: 99, target: nil),
        // The percentage of transferred bytes that belong to cancelled transfers that weren't continued.
        .counted("prefetch/scroll-wasted", target: 3) {
            Measurement(ours: [100 * (try await scrolls.value.with.wastedPart)], isCounted: true)
        },
    ]

    static let scrolls = Task {
        var (with, without) = (try ScrollRun(prefetches: true), try ScrollRun(prefetches: false))
        let results = (with: try await with.result(), without: try await without.result())
        let counts = (results.with.waits.count, results.without.waits.count)
        // Cells that are still waiting at the end aren't counted.
        guard counts.1 > ScrollTrace.cells, abs(counts.0 - counts.1) <= ScrollTrace.visible else {
            throw BenchError("\(counts.0) and \(counts.1) cells were visible")
        }
        return results
    }

    private static func scroll(_ name: String, percentile: Int, target: Double?) -> BenchCase {
        .counted(name, target: target, baselineName: "without prefetching", unit: .nanoseconds) {
            let (with, without) = try await scrolls.value
            return Measurement(
                ours: [with.percentile(percentile)], baseline: [without.percentile(percentile)], isCounted: true)
        }
    }

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
