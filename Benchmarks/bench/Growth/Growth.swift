/// Measures how the costs of operations grow with the number of entries.
enum Growth {
    static let sizes = [100, 1_000, 10_000, 100_000]
    private static let rounds = 7
    /// The minimum number of operations that are timed together, so that reading the clock hardly counts.
    private static let leastOperations = 10_000

    /// Processor time is measured because instructions are counted one by one, which would take hours here, and because
    /// misses of the processor's caches are part of the growth.
    @concurrent
    static func measure() async throws -> [GrowthRow] {
        var rows: [GrowthRow] = []
        for operation in GrowthOperation.all {
            var costs: [(size: Int, cost: Double)] = []
            for size in sizes { costs.append((size, try await cost(of: operation, size))) }
            rows.append(GrowthRow(name: operation.name, costs: costs))
        }
        return rows
    }

    /// The processor time of one operation: the least of several rounds, because other work only increases it.
    private static func cost(of operation: GrowthOperation, _ size: Int) async throws -> Double {
        let copies = max(1, leastOperations / size)
        var least = Double.infinity
        for _ in 0..<rounds {
            var works: [GrowthOperation.Work] = []
            for _ in 0..<copies { works.append(try await operation.prepare(size)) }
            let start = try Platform.processorNanoseconds()
            for work in works { try await work() }
            let end = try Platform.processorNanoseconds()
            // The results of the work are freed outside of the measured time.
            withExtendedLifetime(works) {}
            least = min(least, Double(end - start) / Double(copies * size))
        }
        return least
    }
}
