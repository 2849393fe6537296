/// Calls its owner once, at the earliest of the times it was set for since it last rang.
struct Alarm {
    private var due: Duration?
    private var task: Task<Void, Never>?

    /// - Parameter ring: Called when the alarm rings. It must hold the owner weakly and call ``rang()``.
    mutating func set(
        for due: Duration, _ time: TimeSource, ring: @escaping @Sendable () async -> Void
    ) {
        if let earlier = self.due, earlier <= due { return }
        task?.cancel()
        self.due = due
        task = Task.detached {
            if await time.sleep(until: due) { await ring() }
        }
    }

    /// Allows the alarm to be set for any time again.
    mutating func rang() { due = nil }

    mutating func cancel() {
        task?.cancel()
        (due, task) = (nil, nil)
    }
}
