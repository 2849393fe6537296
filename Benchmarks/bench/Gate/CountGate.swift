/// Compares counts with limits. Counts hardly vary, so the machine may be busy.
struct CountGate {
    let limits: [GateLimit]
    let cases: [BenchCase]
    /// Whether nothing is printed.
    var isQuiet = false

    private static let passes = 3
    /// The minimum number of operations in a pass, so that other work in the process hardly counts.
    private static let leastOperations = 2_000

    /// Prints a line for each limit. Returns false if one is exceeded, or if counting fails.
    func run() async -> Bool {
        var isGood = true
        for limit in limits {
            do {
                guard let count = try await count(limit) else {
                    show("– \(limit.name): \(limit.quantity.rawValue) can't be counted on this system")
                    continue
                }
                let isMet = count <= limit.most
                if !isMet { isGood = false }
                let (counted, most) = (NumberFormat.fixed(count, 1), NumberFormat.fixed(limit.most, 1))
                show("\(isMet ? "✓" : "✗") \(limit.name): \(counted) \(limit.quantity.rawValue), at most \(most)")
            } catch {
                isGood = false
                show("✗ \(limit.name): \(error)")
            }
        }
        return isGood
    }

    private func show(_ line: String) {
        if !isQuiet { print(line) }
    }

    private func count(_ limit: GateLimit) async throws -> Double? {
        guard let found = cases.first(where: { $0.name == limit.name }) else {
            throw BenchError("there is no such case")
        }
        switch (found.kind, limit.quantity) {
        case (.timed(let timed), .allocations), (.timed(let timed), .instructions):
            let workload = try await timed.ours()
            do {
                let count = try await count(limit.quantity, of: workload, timed)
                await workload.tearDown()
                return count
            } catch {
                await workload.tearDown()
                throw error
            }
        case (.counted(let counted), .bytes): return Statistics(try await counted.count().ours).median
        default: throw BenchError("\(limit.quantity.rawValue) of this case aren't counted")
        }
    }

    private func count(
        _ quantity: GateLimit.Quantity, of workload: Workload, _ timed: TimedCase
    ) async throws -> Double? {
        if quantity == .instructions { return try await InstructionCounter.count(workload) }
        return try await allocations(of: workload, timed)
    }

    /// The smallest count of a few passes, because other work in the process only increases it.
    private func allocations(of workload: Workload, _ timed: TimedCase) async throws -> Double? {
        let calls = timed.iterationsPerSample ?? max(1, Self.leastOperations / timed.operationsPerCall)
        var least: Int?
        for pass in 0...Self.passes {
            try await workload.prepare(calls)
            let count = try await AllocationCounter.count { try await workload.run(calls) }
            guard let count else { return nil }
            if pass > 0 { least = min(least ?? count, count) }
        }
        return least.map { Double($0) / Double(calls * timed.operationsPerCall) }
    }
}
