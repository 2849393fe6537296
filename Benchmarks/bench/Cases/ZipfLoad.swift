import AlcedoTestSupport
import Foundation

/// What requests by several Tasks took.
struct LoadFigures: Sendable {
    let elapsed: Duration
    /// Of the whole process.
    let processor: Duration
    /// From a request to its result, in nanoseconds.
    let latencies: Statistics
}

/// Requests by 64 Tasks for pictures whose popularity falls with the 0.9th power of their rank, as in a busy program.
struct ZipfLoad: Sendable {
    static let pictures = 10_000
    /// What the memory cache holds.
    static let held = pictures / 10
    static let tasks = 64

    let requests: Int
    let urls: [URL]
    /// The place in `urls` of each request.
    let draws: [Int]

    init(requests: Int) throws {
        self.requests = requests
        urls = try (0..<Self.pictures).map { try Scripted.url("photos/\($0)/large.jpg?width=1080&format=auto") }
        var random = SeededRandom(seed: 7)
        let ranks = ZipfRanks(count: Self.pictures, exponent: 0.9)
        let places = Array(0..<Self.pictures).shuffled(using: &random)
        draws = (0..<requests).map { _ in places[ranks.rank(at: Double.random(in: 0..<1, using: &random))] }
    }

    /// Each Task makes its next request when it has the result of the last one.
    @concurrent
    func run(_ load: @escaping @Sendable (URL) async throws -> Void) async throws -> LoadFigures {
        let turn = Turn()
        let (elapsed, processor) = (try MeasuredTime.elapsed.now(), try MeasuredTime.processor.now())
        let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<Self.tasks { group.addTask { try await requestInTurn(turn, load) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let figures = LoadFigures(
            elapsed: try MeasuredTime.elapsed.now() - elapsed,
            processor: try MeasuredTime.processor.now() - processor, latencies: Statistics(latencies))
        guard latencies.count == requests else { throw BenchError("\(latencies.count) of \(requests) requests") }
        return figures
    }

    private func requestInTurn(
        _ turn: Turn, _ load: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> [Double] {
        var latencies: [Double] = []
        latencies.reserveCapacity(2 * requests / Self.tasks)
        while true {
            let number = turn.next()
            guard number < requests else { return latencies }
            let start = ContinuousClock.now
            try await load(urls[draws[number]])
            latencies.append((ContinuousClock.now - start) / .nanoseconds(1))
        }
    }
}
