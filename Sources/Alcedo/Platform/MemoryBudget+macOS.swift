#if os(macOS)
import Foundation

extension MemoryBudget {
    /// The number of bytes that this process may use. That is the machine's memory, because macOS has no limits for
    /// processes.
    static func readProcessLimit() -> Int { Int(clamping: ProcessInfo.processInfo.physicalMemory) }
}
#endif
