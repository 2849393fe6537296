#if canImport(Darwin)
import Foundation

extension MemoryBudget {
    /// Bytes that this process may use: the machine's memory, as these systems have no control groups.
    static func readProcessLimit() -> Int { Int(clamping: ProcessInfo.processInfo.physicalMemory) }
}
#endif
