import Synchronization

/// Trims a memory cache when memory is short, while both exist. Reports a failure if memory pressure can't be watched.
final class MemoryPressureTrimmer: Sendable {
    typealias OnPressure = @Sendable (MemoryPressure) -> Void

    private let watcher = Mutex<(any Sendable)?>(nil)

    /// - Parameter watch: Starts watching until its result is released. It is called on a thread that may block,
    ///   because it opens files.
    init(
        _ memory: MemoryCache, onFailure: @escaping @Sendable (CacheFailure) -> Void,
        watch: @escaping @Sendable (@escaping OnPressure) throws(MemoryPressureUnavailable) -> any Sendable = {
            (onPressure) throws(MemoryPressureUnavailable) in try MemoryPressureWatcher(onPressure: onPressure)
        }
    ) {
        WorkerThreads("pressure", count: 1).submit { [weak self, weak memory] in
            do throws(MemoryPressureUnavailable) {
                let watcher = try watch { [weak memory] pressure in
                    Task { await memory?.trimUnderPressure(toFraction: pressure.fraction) }
                }
                self?.watcher.withLock { $0 = watcher }
            } catch {
                let first = error.failures.first
                let reason = first.map { "\($0.call): \($0.reason)" } ?? "this system reports no memory pressure"
                onFailure(CacheFailure(operation: .watch, path: first?.path ?? "", reason: reason))
            }
        }
    }
}
