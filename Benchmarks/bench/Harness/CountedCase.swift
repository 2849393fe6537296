/// A case that is called once, because its result is always the same, one run contains enough samples, or it does its
/// own rounds.
struct CountedCase: Sendable {
    /// The name of the baseline; nil if the value itself is compared with the target.
    let baselineName: String?
    let unit: MeasuredUnit
    let count: @Sendable () async throws -> Measurement
}
