/// The measurements of a number of requests.
struct LoadFigures: Sendable {
    let requests: Int
    let elapsed: Duration
    /// The processor time of the whole process.
    let processor: Duration
    /// The times from requests to their results, in nanoseconds.
    let latencies: Statistics
    /// The number of transfers that the requests caused.
    var transfers = 0

    /// - Parameter body: Makes the requests, and returns their latencies.
    static func measure(_ requests: Int, _ body: () async throws -> [Double]) async throws -> LoadFigures {
        let (elapsed, processor) = (try MeasuredTime.elapsed.now(), try MeasuredTime.processor.now())
        let latencies = try await body()
        return LoadFigures(
            requests: requests, elapsed: try MeasuredTime.elapsed.now() - elapsed,
            processor: try MeasuredTime.processor.now() - processor, latencies: Statistics(latencies))
    }

    /// The elapsed time per request, in nanoseconds.
    var time: Double { elapsed / .nanoseconds(1) / Double(requests) }
    var processorTime: Double { processor / .nanoseconds(1) / Double(requests) }
}
