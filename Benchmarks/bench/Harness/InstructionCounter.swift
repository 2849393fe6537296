import CAllocationCounter
import Foundation

/// Counts the processor's instructions, which don't depend on how busy the machine is.
enum InstructionCounter {
    /// Returns the instructions per iteration of a workload that never suspends; nil on systems without a counter.
    @concurrent static func count(_ workload: Workload) async throws -> Double? {
        let (few, many) = (10, 110)
        // Work that happens only at first use isn't counted.
        try await workload.run(many)
        guard let less = try await instructions(workload, few), let more = try await instructions(workload, many) else {
            return nil
        }
        return Double(more - less) / Double(many - few)
    }

    private static func instructions(_ workload: Workload, _ iterations: Int) async throws -> Int? {
        let count = instruction_counter_fork()
        if count == 0 {
            // After an error, the forked copy must not continue with this program.
            do { try await workload.run(iterations) } catch { exit(1) }
            instruction_counter_end()
        }
        return count > 0 ? count : nil
    }
}
