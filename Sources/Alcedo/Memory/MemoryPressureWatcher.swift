extension MemoryPressureWatcher {
    /// One that trims `memory` for as long as both live; nil, and a report why, where nothing can be watched.
    static func trimming(_ memory: MemoryCache, _ report: EventReport?) -> MemoryPressureWatcher? {
        do throws(MemoryPressureUnavailable) {
            return try MemoryPressureWatcher { [weak memory] pressure in
                Task { await memory?.trim(toFraction: pressure.fraction) }
            }
        } catch {
            let first = error.failures.first
            let reason = first.map { "\($0.call): \($0.reason)" } ?? "this system tells nothing of memory pressure"
            report?(.cacheFailed(CacheFailure(operation: .watch, path: first?.path ?? "", reason: reason)))
            return nil
        }
    }
}
