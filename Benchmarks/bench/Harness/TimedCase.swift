/// A case that measures time per operation, with an optional baseline that is timed in the same rounds.
struct TimedCase: Sendable {
    struct Baseline: Sendable {
        let name: String
        let setUp: Workload.SetUp

        init(_ name: String, setUp: @escaping Workload.SetUp) {
            self.name = name
            self.setUp = setUp
        }
    }

    /// The number of operations in one iteration.
    let operationsPerCall: Int
    /// The number of iterations in each sample; nil to calibrate it.
    let iterationsPerSample: Int?
    let time: MeasuredTime
    let ours: Workload.SetUp
    let baseline: Baseline?
}
