import Synchronization

/// How many callers wait, and for how long.
extension LoadPath {
    struct CallerLimits: Sendable {
        /// How long callers wait whose requests don't say.
        var deadline: Duration?
        /// How many wait at the same time; nil for no limit.
        var count: Int?
    }

    /// Whether a flight alone answers the request.
    func isPlain(_ request: ImageRequest) -> Bool {
        request.fallbacks.isEmpty && limits.deadline == nil && limits.count == nil && request.deadline == nil
    }

    /// Returns what `load` returns, or throws when too many callers wait already, or when the caller's deadline comes
    /// first. The load is cancelled then, as by a caller that leaves.
    func withinLimits<Value: Sendable>(
        of request: ImageRequest, load: @escaping @Sendable () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        guard let allowed = limits.count else { return try await withinDeadline(of: request, load: load) }
        let count = waitingCallers.wrappingAdd(1, ordering: .relaxed).newValue
        defer { waitingCallers.wrappingSubtract(1, ordering: .relaxed) }
        if count > allowed { throw .overloaded(allowed: allowed) }
        return try await withinDeadline(of: request, load: load)
    }

    private func withinDeadline<Value: Sendable>(
        of request: ImageRequest, load: @escaping @Sendable () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        guard let deadline = request.deadline ?? limits.deadline else { return try await load() }
        try request.validate()
        let moment = deadlines.moment(after: deadline)
        let first = await withTaskGroup(of: Result<Value, ImageLoaderError>.self) { group in
            group.addTask { [deadlines] in
                .failure(await deadlines.wait(until: moment) ? .timedOut(.deadline) : .cancelled)
            }
            group.addTask {
                do throws(ImageLoaderError) {
                    return .success(try await load())
                } catch {
                    return .failure(error)
                }
            }
            let first = await group.next()
            group.cancelAll()
            return first
        }
        return try (first ?? .failure(.cancelled)).get()
    }
}
