import Foundation

/// One of the two designs, used as its own programs use it: with Tasks, or with completion handlers.
///
/// The results are latencies in nanoseconds. Every method checks that each request has the picture, or was cancelled.
protocol LoadingDesign: Sendable {
    /// Requests by some callers, each of which makes its next one when it has the result of the last one.
    ///
    /// - Parameter sampled: The latency of one in so many requests is measured.
    func load(_ urls: [URL], callers: Int, sampled: Int) async throws -> [Double]

    /// Requests by as many callers, all at once.
    ///
    /// - Parameter onAsked: Called when all have been made.
    func loadAtOnce(_ urls: [URL], onAsked: @escaping @Sendable () -> Void) async throws -> [Double]

    /// Requests that wait and are then cancelled, one after the other; a latency is from a cancellation to its end.
    func cancel(_ urls: [URL]) async throws -> [Double]

    /// Returns when all that is to be stored is stored.
    func flush() async
}
