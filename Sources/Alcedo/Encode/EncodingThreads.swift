import Foundation

/// Threads outside the cooperative pool, for asynchronous callers that encode images.
enum EncodingThreads {
    /// Shared by the whole process; the threads start with the first job.
    private static let workers = WorkerThreads("encode", count: CoreCount.current)

    /// Runs `work` on one of the threads. If the Task is cancelled, the call throws immediately.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value { try await result(of: work).get() }

    /// Returns a `Result` instead of throwing.
    static func result<Value: Sendable>(
        of work: @escaping @Sendable () throws(ImageLoaderError) -> Value
    ) async -> Result<Value, ImageLoaderError> {
        if Task.isCancelled { return .failure(.cancelled) }
        return await workers.runUnlessCancelled { Result(catching: work) } ?? .failure(.cancelled)
    }
}
