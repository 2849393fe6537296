import Synchronization

/// The limits on the number of waiting callers and on their waits.
extension LoadPath {
    struct CallerLimits: Sendable {
        /// The deadline of requests that set none.
        var deadline: Duration?
        /// The maximum number of callers that wait at the same time; nil for no limit.
        var count: Int?
    }

    /// Whether a single flight answers the request, without fallbacks or limits.
    func isPlain(_ request: ImageRequest) -> Bool {
        request.fallbacks.isEmpty && limits.deadline == nil && limits.count == nil && request.deadline == nil
    }

    /// Returns the result of `load`. Throws if too many callers already wait, or if the caller's deadline passes first.
    /// The load is then cancelled as if the caller had left.
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
        let (moment, cancellations) = (deadlines.moment(after: deadline), cancellationCount)
        let first = await withTaskGroup(of: Result<Value, ImageLoaderError>.self) { group in
            group.addTask { [deadlines] in
                .failure(await deadlines.wait(until: moment) ? .timedOut(.deadline) : .cancelled)
            }
            group.addTask { [self] in
                do throws(ImageLoaderError) {
                    // No flight has the load yet.
                    if cancellationCount != cancellations { throw .cancelled }
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
