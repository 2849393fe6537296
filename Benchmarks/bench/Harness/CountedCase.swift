/// A case that runs once, because its result is always the same or because one run contains enough samples.
struct CountedCase: Sendable {
    /// The name of the baseline; nil if the value itself is compared with the target.
    let baselineName: String?
    let unit: MeasuredUnit
    let count: @Sendable () async throws -> Measurement
}
