import Alcedo
import Foundation

/// A loader's own work for images that it doesn't have.
enum PipelineCases {
    static let all: [BenchCase] = [
        .timed("pipeline/miss-tiny", target: 4, ours: { try misses() }, baseline: .init(bare) { try bareMisses() }),
        atOnce("pipeline/miss-5000", .elapsed),
        atOnce("pipeline/miss-5000-cpu", .processor),
        // The target is 0.6 times the memory of Nuke's request, 6.8 KB, in units of a bare waiting Task, 1.5 KB.
        .counted(
            "pipeline/waiting-heap", target: 2.7, baselineName: "a bare waiting Task", unit: .bytes
        ) {
            try await RepeatedRounds.measure(6) {
                try await heapOfWaiting(many)
            } baseline: {
                try await WaitingTasks.bareHeap(many)
            }
        },
    ]

    private static let bare = "the transport, an actor and a Task"
    private static let many = 5_000

    private static func atOnce(_ name: String, _ time: MeasuredTime) -> BenchCase {
        .timed(
            name, target: 4, operationsPerCall: many, iterationsPerSample: 1, time: time, ours: { try missesAtOnce() },
            baseline: .init(bare) { try bareMissesAtOnce() })
    }

    /// A loader with few images in memory, so that a miss stores an image and evicts another one.
    private static func loader() -> ImageLoader { Scripted.loader { $0.memory.maximumCount = 1_000 } }

    private static func misses() throws -> Workload {
        let loader = loader()
        return sequential { blackHole(try await loader.image(for: $0)) }
    }

    private static func bareMisses() throws -> Workload {
        let loader = OneTaskLoader(Scripted.transport)
        return sequential { blackHole(try await loader.data(for: $0)) }
    }

    private static func missesAtOnce() throws -> Workload {
        let loader = loader()
        return concurrent { blackHole(try await loader.image(for: $0)) }
    }

    private static func bareMissesAtOnce() throws -> Workload {
        let loader = OneTaskLoader(Scripted.transport)
        return concurrent { blackHole(try await loader.data(for: $0)) }
    }

    /// Calls `load` with new URLs, one after the other.
    private static func sequential(_ load: @escaping @Sendable (URL) async throws -> Void) -> Workload {
        let urls = Kept<[URL]>()
        return Workload(prepare: { urls.keep(try Scripted.freshURLs($0)) }) { _ in
            for url in urls.take() ?? [] { try await load(url) }
        }
    }

    /// Calls `load` with new URLs concurrently, each in its own Task.
    private static func concurrent(_ load: @escaping @Sendable (URL) async throws -> Void) -> Workload {
        let urls = Kept<[URL]>()
        return Workload(prepare: { _ in urls.keep(try Scripted.freshURLs(many)) }) { _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for url in urls.take() ?? [] { group.addTask { try await load(url) } }
                try await group.waitForAll()
            }
        }
    }

    /// The heap of requests for different images, of which six are being downloaded.
    private static func heapOfWaiting(_ count: Int) async throws -> Double {
        let answers = HeldAnswers()
        let network = ScriptedNetwork(.held(answers))
        let loader = Scripted.loader(network) { $0.memory.maximumBytes = 0 }
        let urls = try Scripted.freshURLs(count)
        let bytes = try await WaitingTasks.heap(count, release: answers.open) { number in
            guard network.transferCount <= 6 else { throw BenchError("\(network.transferCount) transfers have begun") }
            blackHole(try await loader.image(for: urls[number]))
        }
        guard network.transferCount == count else { throw BenchError("\(network.transferCount) transfers") }
        return bytes
    }
}
