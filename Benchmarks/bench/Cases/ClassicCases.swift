/// Alcedo and the design that its actors replace, doing the same work.
enum ClassicCases {
    static let all: [BenchCase] = ClassicScenario.allCases.flatMap { scenario in
        ClassicMeasure.allCases.map { makeCase(scenario, $0) } + (scenario == .zipf ? [transfers] : [])
    }

    static let prefix = "classic/"
    static let transfersName = "classic/zipf-transfers"
    private static let baseline = "the classic design"

    private static func makeCase(_ scenario: ClassicScenario, _ measure: ClassicMeasure) -> BenchCase {
        let name = measure.caseName(of: scenario)
        func counted(target: Double? = 1, _ value: @escaping @Sendable (LoadFigures) -> Double) -> BenchCase {
            .counted(name, target: target, baselineName: baseline, unit: .nanoseconds) {
                try await ClassicRounds.of(scenario).measurement(value)
            }
        }
        switch measure {
        case .time: return counted { $0.time }
        case .processorTime: return counted { $0.processorTime }
        case .p50: return counted(target: nil) { $0.latencies.median ?? 0 }
        // There is no target for cancel: a classic handler is called inside cancel(), but a Task can't end there.
        case .p99: return counted(target: scenario == .cancel ? nil : 1) { $0.latencies.percentile(99) ?? 0 }
        case .threads:
            return .threads(
                name, target: 1, ours: { _ in blackHole(try await scenario.run(.alcedo)) },
                baseline: .child(baseline) { _ in blackHole(try await scenario.run(.classic)) })
        case .peak:
            return .peak(
                name, target: 1, ours: { _ in blackHole(try await scenario.run(.alcedo)) },
                baseline: .child(baseline) { _ in blackHole(try await scenario.run(.classic)) })
        }
    }

    /// Fewer transfers mean that more requests were hits or joined.
    private static let transfers = BenchCase.counted(
        transfersName, baselineName: baseline, unit: .count
    ) {
        try await ClassicRounds.of(.zipf).measurement { Double($0.transfers) }
    }
}
