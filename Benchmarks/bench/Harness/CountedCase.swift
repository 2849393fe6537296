/// A case that counts what a run does that gives the same each time, so once is enough.
struct CountedCase: Sendable {
    /// What ours is compared to, nil when the value itself is held to the target.
    let baselineName: String?
    let count: @Sendable () throws -> Measurement
}
