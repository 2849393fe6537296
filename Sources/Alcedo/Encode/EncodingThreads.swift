import Foundation

/// Where pictures are encoded for those who do not block: beside the cooperative pool.
enum EncodingThreads {
    /// For the whole process; they start when there is something to write.
    private static let workers = WorkerThreads("encode", count: CoreNumber.count)

    /// Runs `work` on one of the threads; a Task that is cancelled meanwhile leaves at once.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        guard !Task.isCancelled, let outcome = await workers.runUnlessCancelled({ Result(catching: work) }) else {
            throw .cancelled
        }
        return try outcome.get()
    }
}
