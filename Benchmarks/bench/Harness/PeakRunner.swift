/// Measures peak cases, processor time and threads, each side in separate processes.
struct PeakRunner {
    let budget: Budget
    private let clock = ContinuousClock()

    init(budget: Budget) {
        self.budget = budget
    }

    @concurrent
    func measure(_ name: String, _ peak: PeakCase) async throws -> Measurement {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        try await peak.prepare?(folder.path)
        let deadline = clock.now.advanced(by: budget.perCase)
        // Memory and threads hardly differ between rounds, but time does.
        let rounds = peak.quantity == .processorTime ? budget.timedRounds : budget.peakRounds
        var measurement = Measurement()
        var longest = Duration.zero
        repeat {
            let start = clock.now
            let oursFirst = measurement.ours.count.isMultiple(of: 2)
            try measureRound(name, peak, folder.path, oursFirst: oursFirst, into: &measurement)
            longest = max(longest, start.duration(to: clock.now))
        } while measurement.ours.count < rounds && clock.now.advanced(by: longest) < deadline
        return measurement
    }

    private func measureRound(
        _ name: String, _ peak: PeakCase, _ folder: String, oursFirst: Bool, into measurement: inout Measurement
    ) throws {
        let baselineRole: ChildRole? =
            switch peak.baseline {
            case .none: nil
            case .child: .baseline
            case .program: .program
            }
        func child(_ role: ChildRole) throws -> ChildReport { try Self.child(role, of: name, folder) }
        func value(of report: ChildReport) -> Int {
            switch peak.quantity {
            case .peakBytes: report.peakBytes
            case .processorTime: report.processorNanoseconds
            case .threads: report.threads
            }
        }
        // An external program has no idle counterpart, so nothing is subtracted from either side. All threads are
        // counted.
        let idle = baselineRole == .program || peak.quantity == .threads ? 0 : value(of: try child(.idle))
        let early = oursFirst ? nil : try baselineRole.map(child)
        let ours = try child(.ours)
        let baseline = try early ?? baselineRole.map(child)
        measurement.ours.append(Double(max(0, value(of: ours) - idle)))
        measurement.allocations = ours.allocations.map(Double.init)
        if let baseline { measurement.baseline.append(Double(max(0, value(of: baseline) - idle))) }
    }

    private static func child(_ role: ChildRole, of name: String, _ folder: String) throws -> ChildReport {
        let process = ChildProcess(
            path: Platform.executablePath, arguments: [Options.childOption, role.rawValue, name, folder])
        guard let report = ChildReport(output: try process.run(capturingOutput: true).output) else {
            throw BenchError("the child process of \(name) reported nothing")
        }
        return report
    }
}
