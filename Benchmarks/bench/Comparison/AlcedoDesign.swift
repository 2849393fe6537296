import Alcedo
import Foundation

/// Alcedo, used as in a program: callers are Tasks.
struct AlcedoDesign: LoadingDesign {
    let loader: ImageLoader

    func load(_ urls: [URL], callers: Int, sampled: Int) async throws -> [Double] {
        try await RequestsInTurn(urls: urls, callers: callers, sampled: sampled).run { [loader] url in
            try Self.check(try await loader.image(for: url))
        }
    }

    func loadAtOnce(_ urls: [URL], onAsked: @escaping @Sendable () -> Void) async throws -> [Double] {
        let arrivals = Arrivals(expected: urls.count, then: onAsked)
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for url in urls {
                group.addTask { [loader] in
                    let start = ContinuousClock.now
                    arrivals.arrive()
                    try Self.check(try await loader.image(for: url))
                    return (ContinuousClock.now - start) / .nanoseconds(1)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    func cancel(_ urls: [URL]) async throws -> [Double] {
        let asked = Gate()
        let arrivals = Arrivals(expected: urls.count, gate: asked)
        let tasks = urls.map { url in
            Task {
                arrivals.arrive()
                return try await endOfCancelled(url)
            }
        }
        await asked.wait()
        var starts: [ContinuousClock.Instant] = []
        starts.reserveCapacity(tasks.count)
        for task in tasks {
            starts.append(.now)
            task.cancel()
        }
        var latencies: [Double] = []
        latencies.reserveCapacity(tasks.count)
        for (task, start) in zip(tasks, starts) { latencies.append((try await task.value - start) / .nanoseconds(1)) }
        return latencies
    }

    /// Returns the time at which a request has failed as cancelled.
    private func endOfCancelled(_ url: URL) async throws -> ContinuousClock.Instant {
        do throws(ImageLoaderError) {
            _ = try await loader.image(for: url)
        } catch {
            guard error == .cancelled else { throw error }
            return .now
        }
        throw BenchError("a request wasn't cancelled")
    }

    func flush() async { await loader.flush() }

    private static func check(_ image: DecodedImage) throws {
        guard image.size.width == 1 else { throw BenchError("another picture than the decoder's") }
    }
}
