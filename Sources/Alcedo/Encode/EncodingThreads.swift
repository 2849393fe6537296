import Foundation

/// Threads outside the cooperative pool, for asynchronous callers that encode images.
enum EncodingThreads {
    /// Shared by the whole process; the threads start with the first job.
    private static let workers = WorkerThreads("encode", count: CoreCount.current)

    /// Runs `work` on one of the threads. If the Task is cancelled, the call throws immediately.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value { try await result(of: work).get() }

    /// Runs `work`, which learns of the Task's cancellation through its argument. If the Task is cancelled, the call
    /// throws immediately.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable (DecodeCancellation) throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        let cancellation = DecodeCancellation()
        let outcome = await withTaskCancellationHandler {
            await result { () throws(ImageLoaderError) in try work(cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
        return try outcome.get()
    }

    /// Returns a `Result` instead of throwing.
    private static func result<Value: Sendable>(
        of work: @escaping @Sendable () throws(ImageLoaderError) -> Value
    ) async -> Result<Value, ImageLoaderError> {
        if Task.isCancelled { return .failure(.cancelled) }
        return await workers.runUnlessCancelled { Result(catching: work) } ?? .failure(.cancelled)
    }
}
