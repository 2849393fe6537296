#if canImport(Darwin)
extension Task where Success == Void, Failure == Never {
    /// Begins a Task that inherits nothing. Called on no actor, it runs here until it first suspends, without a switch
    /// of threads, on the systems that have such Tasks. Elsewhere it begins on the cooperative pool.
    static func beginDetached(_ work: @escaping @Sendable () async -> Void) -> Self {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task.detached { await work() }
        }
        return Task.immediateDetached { await work() }
    }
}
#endif
