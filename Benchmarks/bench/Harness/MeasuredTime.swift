/// The kind of time that a case measures.
enum MeasuredTime: Sendable {
    case elapsed
    /// User and system time of this process, on all threads.
    case processor

    private static let origin = ContinuousClock.now

    /// The time since a fixed moment.
    func now() throws -> Duration {
        switch self {
        case .elapsed: Self.origin.duration(to: .now)
        case .processor: .nanoseconds(try Platform.processorNanoseconds())
        }
    }
}
