/// Measures peak cases, each side in processes of its own.
struct PeakRunner {
    let budget: Budget
    private let clock = ContinuousClock()

    init(budget: Budget) {
        self.budget = budget
    }

    @concurrent
    func measure(_ name: String, _ peak: PeakCase) async throws -> Measurement {
        let deadline = clock.now.advanced(by: budget.perCase)
        var measurement = Measurement()
        var longest = Duration.zero
        repeat {
            let start = clock.now
            let oursFirst = measurement.ours.count.isMultiple(of: 2)
            try measureRound(name, peak, oursFirst: oursFirst, into: &measurement)
            longest = max(longest, start.duration(to: clock.now))
        } while measurement.ours.count < budget.peakRounds && clock.now.advanced(by: longest) < deadline
        return measurement
    }

    private func measureRound(
        _ name: String, _ peak: PeakCase, oursFirst: Bool, into measurement: inout Measurement
    ) throws {
        let baselineRole: ChildRole? =
            switch peak.baseline {
            case .none: nil
            case .child: .baseline
            case .program: .program
            }
        // A program has no idle twin, so against one both sides count whole.
        let idle = baselineRole == .program ? 0 : try child(.idle, of: name).peakBytes
        let early = oursFirst ? nil : try baselineRole.map { try child($0, of: name) }
        let ours = try child(.ours, of: name)
        let baseline = try early ?? baselineRole.map { try child($0, of: name) }
        measurement.ours.append(Double(max(0, ours.peakBytes - idle)))
        measurement.allocations = ours.allocations.map(Double.init)
        if let baseline {
            measurement.baseline.append(Double(max(0, baseline.peakBytes - idle)))
        }
    }

    private func child(_ role: ChildRole, of name: String) throws -> ChildReport {
        let process = ChildProcess(
            path: Platform.executablePath, arguments: [Options.childOption, role.rawValue, name])
        guard let report = ChildReport(output: try process.run(capturingOutput: true).output) else {
            throw BenchError("the child process of \(name) reported nothing")
        }
        return report
    }
}
