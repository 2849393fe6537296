/// A case that takes time per operation, with an optional baseline that is timed in the same rounds.
struct TimedCase: Sendable {
    /// What ours is compared to.
    struct Baseline: Sendable {
        let name: String
        let setUp: Workload.SetUp

        init(_ name: String, setUp: @escaping Workload.SetUp) {
            self.name = name
            self.setUp = setUp
        }
    }

    /// How many operations one iteration is.
    let operationsPerCall: Int
    /// Iterations of each sample; nil to calibrate.
    let iterationsPerSample: Int?
    let ours: Workload.SetUp
    let baseline: Baseline?
}
