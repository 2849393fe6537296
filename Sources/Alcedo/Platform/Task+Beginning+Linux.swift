#if os(Linux)
extension Task where Success == Void, Failure == Never {
    /// Begins a Task that inherits nothing. Called on no actor, it runs here until it first suspends, without a switch
    /// of threads. Called on an actor, it begins on the cooperative pool.
    static func beginDetached(_ work: @escaping @Sendable () async -> Void) -> Self {
        Task.immediateDetached { await work() }
    }
}
#endif
