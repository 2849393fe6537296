/// Measures timed cases: rounds of ours and the baseline in turn, so that both run under the same conditions.
struct TimedRunner {
    /// The two sides of a case, after their set-up.
    private struct Sides {
        let ours: Workload
        let baseline: Workload?
        let operationsPerCall: Int
        let time: MeasuredTime
    }

    /// The times of one round.
    private struct Round {
        let ours: Duration
        let baseline: Duration?
    }

    let budget: Budget
    private let clock = ContinuousClock()

    init(budget: Budget) {
        self.budget = budget
    }

    /// Measures a case. Leaves the main actor first, because a hop between it and the pool costs more than most of the
    /// measured operations.
    @concurrent
    func measure(_ timed: TimedCase) async throws -> Measurement {
        let ours = try await timed.ours()
        return try await tearingDown(ours) {
            guard let setUp = timed.baseline?.setUp else {
                let deadline = clock.now.advanced(by: budget.perCase)
                let sides = Sides(
                    ours: ours, baseline: nil, operationsPerCall: timed.operationsPerCall, time: timed.time)
                return try await measure(sides, fixed: timed.iterationsPerSample, until: deadline)
            }
            let baseline = try await setUp()
            return try await tearingDown(baseline) {
                let deadline = clock.now.advanced(by: budget.perCase)
                let sides = Sides(
                    ours: ours, baseline: baseline, operationsPerCall: timed.operationsPerCall, time: timed.time)
                return try await measure(sides, fixed: timed.iterationsPerSample, until: deadline)
            }
        }
    }

    private func tearingDown<Result>(
        _ workload: Workload, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            await workload.tearDown()
            return result
        } catch {
            await workload.tearDown()
            throw error
        }
    }

    private func measure(
        _ sides: Sides, fixed: Int?, until deadline: ContinuousClock.Instant
    ) async throws -> Measurement {
        let calibrated = try await calibrate(sides, fixed: fixed, until: deadline)
        let iterations = calibrated.iterations
        let operations = Double(iterations * sides.operationsPerCall)
        var longest = calibrated.took
        var measurement = Measurement()
        // If there is no time for a warm-up round, the calibration's last round serves as one.
        if clock.now.advanced(by: longest * 3) < deadline {
            _ = try await round(sides, iterations: iterations, oursFirst: true)
        }
        repeat {
            let start = clock.now
            // The side that runs second finds the processor's caches as the other side left them, so the order
            // alternates.
            let oursFirst = measurement.ours.count.isMultiple(of: 2)
            let round = try await round(sides, iterations: iterations, oursFirst: oursFirst)
            measurement.ours.append(round.ours / .nanoseconds(1) / operations)
            if let baseline = round.baseline {
                measurement.baseline.append(baseline / .nanoseconds(1) / operations)
            }
            longest = max(longest, start.duration(to: clock.now))
            // There must be time for one more round, and for counting allocations afterwards, which takes about as
            // long.
        } while measurement.ours.count < budget.timedRounds && clock.now.advanced(by: longest * 2) < deadline
        measurement.allocations = try await allocations(of: sides.ours, iterations: iterations)
            .map { Double($0) / operations }
        return measurement
    }

    private func calibrate(
        _ sides: Sides, fixed: Int?, until deadline: ContinuousClock.Instant
    ) async throws -> (iterations: Int, took: Duration) {
        var iterations = fixed ?? 1
        while true {
            let start = clock.now
            let round = try await round(sides, iterations: iterations, oursFirst: true)
            let took = start.duration(to: clock.now)
            let faster = min(round.ours, round.baseline ?? round.ours)
            let slower = max(round.ours, round.baseline ?? round.ours)
            // A growing sample must not use up the rounds' time, because untimed preparation grows with it.
            guard fixed == nil, clock.now.advanced(by: took * 8) < deadline,
                let next = Calibration().next(after: iterations, faster: faster, slower: slower)
            else { return (iterations, took) }
            iterations = next
        }
    }

    private func round(_ sides: Sides, iterations: Int, oursFirst: Bool) async throws -> Round {
        func time(_ workload: Workload) async throws -> Duration {
            try await workload.prepare(iterations)
            let start = try sides.time.now()
            try await workload.run(iterations)
            return try sides.time.now() - start
        }
        guard let baseline = sides.baseline else { return Round(ours: try await time(sides.ours), baseline: nil) }
        if oursFirst {
            let ours = try await time(sides.ours)
            return Round(ours: ours, baseline: try await time(baseline))
        }
        let first = try await time(baseline)
        return Round(ours: try await time(sides.ours), baseline: first)
    }

    /// Counts allocations in a separate pass, so that counting doesn't slow down any sample.
    private func allocations(of workload: Workload, iterations: Int) async throws -> Int? {
        try await workload.prepare(iterations)
        return try await AllocationCounter.count { try await workload.run(iterations) }
    }
}
