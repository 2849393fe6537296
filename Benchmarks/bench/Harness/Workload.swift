/// One side of a timed case, set up and ready to be run many times.
struct Workload: Sendable {
    /// Makes what the runs need; what it does is not timed.
    typealias SetUp = @Sendable () async throws -> Workload

    /// Called before each sample with the number of calls it will time; not timed.
    let prepare: @Sendable (_ iterations: Int) async throws -> Void
    /// Performs the measured call that many times. Only this is timed.
    let run: @Sendable (_ iterations: Int) async throws -> Void
    /// Gives back what the set-up took, also after a failure.
    let tearDown: @Sendable () async -> Void

    init(
        prepare: @escaping @Sendable (_ iterations: Int) async throws -> Void = { _ in },
        tearDown: @escaping @Sendable () async -> Void = {},
        run: @escaping @Sendable (_ iterations: Int) async throws -> Void
    ) {
        self.prepare = prepare
        self.run = run
        self.tearDown = tearDown
    }
}
