/// Rounds of ours and the baseline in turn, for cases that compute their own values.
enum RepeatedRounds {
    /// Measures both sides `count` times, after a warm-up round that isn't used.
    static func measure(
        _ count: Int, ours: () async throws -> Double, baseline: () async throws -> Double
    ) async throws -> Measurement {
        var measurement = Measurement()
        for round in 0...count {
            let early = round.isMultiple(of: 2) ? nil : try await baseline()
            let value = try await ours()
            let other = if let early { early } else { try await baseline() }
            guard round > 0 else { continue }
            measurement.ours.append(value)
            measurement.baseline.append(other)
        }
        return measurement
    }
}
