import Synchronization

/// Rounds of both designs in turn, in one scenario. Several cases read the same rounds.
struct ClassicRounds: Sendable {
    private var rounds: [(alcedo: LoadFigures, classic: LoadFigures)] = []

    private static let measured = Mutex<[ClassicScenario: Task<ClassicRounds, any Error>]>([:])

    /// Returns the rounds of a scenario. The first call runs it.
    static func of(_ scenario: ClassicScenario) async throws -> ClassicRounds {
        let task = measured.withLock { measured in
            let task = measured[scenario] ?? Task.detached { try await measure(scenario) }
            measured[scenario] = task
            return task
        }
        return try await task.value
    }

    func measurement(_ value: (LoadFigures) -> Double) -> Measurement {
        Measurement(ours: rounds.map { value($0.alcedo) }, baseline: rounds.map { value($0.classic) })
    }

    private static func measure(_ scenario: ClassicScenario) async throws -> ClassicRounds {
        var measured = ClassicRounds()
        // The first round warms up both designs.
        for round in 0...7 {
            let early = round.isMultiple(of: 2) ? nil : try await scenario.run(.classic)
            let alcedo = try await scenario.run(.alcedo)
            let classic = if let early { early } else { try await scenario.run(.classic) }
            if round > 0 { measured.rounds.append((alcedo, classic)) }
        }
        return measured
    }
}
