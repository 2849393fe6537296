/// A case that is run once: as it gives the same each time, or as one run has samples enough.
struct CountedCase: Sendable {
    /// What ours is compared to, nil when the value itself is held to the target.
    let baselineName: String?
    let unit: MeasuredUnit
    let count: @Sendable () async throws -> Measurement
}
