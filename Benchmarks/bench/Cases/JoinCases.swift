import Alcedo
import Foundation

/// Callers that request one image from a loader at the same time.
enum JoinCases {
    static let all: [BenchCase] = [
        .timed(
            "download/join-cpu", operationsPerCall: callers, time: .processor, ours: { try joins() },
            baseline: .init("one Task.value") { SharedTaskJoin.joins(waiters: callers) }),
        .counted(
            "download/join-heap", target: 1, baselineName: "a bare waiting Task and 1.5 KB", unit: .bytes
        ) {
            try await RepeatedRounds.measure(6) {
                try await heap(of: 10_000)
            } baseline: {
                try await WaitingTasks.bareHeap(10_000) + 1_500
            }
        },
    ]

    private static let callers = 1_000

    /// A loader without a memory cache, so that no caller finds the image of the previous iteration.
    private static func loader(_ network: ScriptedNetwork) -> ImageLoader {
        Scripted.loader(network) { $0.memory.maximumBytes = 0 }
    }

    /// A separate URL value for each caller, as in a program; only the image is shared.
    private static func urls(_ count: Int) throws -> [URL] {
        try (0..<count).map { _ in try Scripted.url("joined/large.jpg?width=1080&format=auto") }
    }

    /// One operation is one caller, including its Task.
    private static func joins() throws -> Workload {
        let network = ScriptedNetwork(.atOnce)
        let loader = loader(network)
        let urls = try urls(callers)
        return Workload { iterations in
            for _ in 0..<iterations {
                let answers = HeldAnswers()
                network.answer(.held(answers))
                let arrivals = Arrivals(expected: callers, then: answers.open)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for url in urls {
                        group.addTask {
                            arrivals.arrive()
                            blackHole(try await loader.image(for: url))
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func heap(of callers: Int) async throws -> Double {
        let answers = HeldAnswers()
        let network = ScriptedNetwork(.held(answers))
        let loader = loader(network)
        let urls = try urls(callers)
        let bytes = try await WaitingTasks.heap(callers, release: answers.open) { number in
            blackHole(try await loader.image(for: urls[number]))
        }
        guard network.transferCount == 1 else { throw BenchError("\(network.transferCount) transfers") }
        return bytes
    }
}
