#if canImport(Darwin)
import Foundation

extension MemoryBudget {
    /// The number of bytes that this process may use. That is the machine's memory, because Apple platforms have no
    /// control groups.
    static func readProcessLimit() -> Int { Int(clamping: ProcessInfo.processInfo.physicalMemory) }
}
#endif
