/// One side of a timed case, set up and ready to run many times.
struct Workload: Sendable {
    /// Creates the resources that the runs need; not timed.
    typealias SetUp = @Sendable () async throws -> Workload

    /// Called before each sample with the number of calls it will time; not timed.
    let prepare: @Sendable (_ iterations: Int) async throws -> Void
    /// Performs the measured call `iterations` times. Only this is timed.
    let run: @Sendable (_ iterations: Int) async throws -> Void
    /// Releases the resources of the set-up, even after a failure.
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
