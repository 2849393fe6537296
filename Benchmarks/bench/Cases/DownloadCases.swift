import Alcedo
import Foundation

/// The download coordinator.
enum DownloadCases {
    static let all: [BenchCase] = [
        .timed(
            "download/join-1000", target: 1, operationsPerCall: 1_000,
            ours: { try joins(callers: 1_000) },
            baseline: .init("one Task.value") { SharedTaskJoin.joins(waiters: 1_000) }),
        .timed(
            "download/join-10000", target: 1, operationsPerCall: 10_000,
            ours: { try joins(callers: 10_000) },
            baseline: .init("one Task.value") { SharedTaskJoin.joins(waiters: 10_000) }),
    ]

    /// Tasks that all request one resource. One operation is one Task, including its creation.
    private static func joins(callers: Int) throws -> Workload {
        let network = ScriptedNetwork(.atOnce)
        let coordinator = DownloadCoordinator(loader: network)
        let request = ImageRequest(url: try Scripted.url("a"))
        return Workload { iterations in
            for _ in 0..<iterations {
                let answers = HeldAnswers()
                network.answer(.held(answers))
                let arrivals = Arrivals(expected: callers, then: answers.open)
                await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            arrivals.arrive()
                            blackHole(try await coordinator.download(request))
                        }
                    }
                }
            }
        }
    }
}
