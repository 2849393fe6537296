extension LoadPath {
    /// Returns what `load` returns, or throws when the caller's deadline comes first. The load is cancelled then, as by
    /// a caller that leaves.
    func withinDeadline<Value: Sendable>(
        of request: ImageRequest, load: @escaping @Sendable () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        guard let deadline = request.deadline ?? deadline else { return try await load() }
        try request.validate()
        let first = await withTaskGroup(of: Result<Value, ImageLoaderError>.self) { group in
            group.addTask { [time] in
                .failure(await time.sleep(for: deadline) ? .timedOut(.deadline) : .cancelled)
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
