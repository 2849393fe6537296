import Alcedo
import AlcedoTestSupport
import Foundation

/// Pictures that are in memory.
enum MemoryCases {
    static let all: [BenchCase] = [
        .timed(
            "memory/hit-await-1task", target: 4, ours: { try await awaitedHits(entries: 1_000) },
            baseline: .init("Mutex<Dictionary>") { MutexDictionary.lookUps(entries: 1_000) })
    ]

    /// `await image(for:)` of URLs drawn uniformly, all in memory, from one task.
    private static func awaitedHits(entries: Int) async throws -> Workload {
        let loader = try Scripted.loader()
        let urls = try (0..<entries).map { try Scripted.url("photos/\($0)/large.jpg?width=1080&format=auto") }
        for url in urls { _ = try await loader.image(for: url) }
        let draws = UniformDraws(from: urls, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(try await loader.image(for: draws[index])) }
        }
    }
}
