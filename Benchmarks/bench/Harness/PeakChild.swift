/// The part of a peak case that runs in the child process.
struct PeakChild {
    let role: ChildRole
    /// The folder with the files that the case has prepared.
    let folder: String

    /// Runs the role. It isn't isolated to the main actor, like the timed cases.
    @concurrent
    func run(_ peak: PeakCase) async throws -> ChildReport {
        switch (role, peak.baseline) {
        case (.ours, _): return try await report(peak.ours)
        case (.baseline, .child(_, let body)): return try await report(body)
        case (.program, .program(_, let path, let arguments)):
            let floor = try ChildProcess(path: "true", arguments: []).run(capturingOutput: false).maxRSS
            let outcome = try ChildProcess(path: path, arguments: arguments(folder)).run(capturingOutput: false)
            if outcome.maxRSS <= floor + floor / 10 {
                printError("\(path) may have taken less: nothing below \(floor) bytes can be told apart")
            }
            return ChildReport(
                peakBytes: outcome.maxRSS, processorNanoseconds: outcome.processorNanoseconds, threads: 0,
                allocations: nil)
        default: return try await report { _ in }
        }
    }

    private func report(_ body: PeakCase.Body) async throws -> ChildReport {
        let allocations = try await AllocationCounter.count { try await body(folder) }
        return ChildReport(
            peakBytes: try Platform.peakBytes(), processorNanoseconds: try Platform.processorNanoseconds(),
            threads: try Platform.threadCount(), allocations: allocations)
    }
}
