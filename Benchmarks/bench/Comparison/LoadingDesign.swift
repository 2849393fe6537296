import Foundation

/// One of the two designs, used as its own programs use it: with Tasks, or with completion handlers.
///
/// The results are latencies in nanoseconds. Every method checks that each request has its image, or was cancelled.
protocol LoadingDesign: Sendable {
    /// Makes requests by some callers, each of which makes its next request when it has the previous result.
    ///
    /// - Parameter sampled: The interval at which latencies are measured: 16 means one request in 16.
    func load(_ urls: [URL], callers: Int, sampled: Int) async throws -> [Double]

    /// Makes each request by a separate caller, all at the same time.
    ///
    /// - Parameter onAsked: Called when all requests have been made.
    func loadAtOnce(_ urls: [URL], onAsked: @escaping @Sendable () -> Void) async throws -> [Double]

    /// Makes requests that wait and are then cancelled, one after the other. A latency is the time from a cancellation
    /// to the end of its request.
    func cancel(_ urls: [URL]) async throws -> [Double]

    /// Returns when everything that must be stored has been stored.
    func flush() async
}
