#if canImport(Darwin) && !os(macOS)
import Foundation
import os

extension MemoryBudget {
    /// The number of bytes that the system lets this process allocate from now on. Apps get only a part of the
    /// machine's memory, and their extensions get much less.
    static func readProcessLimit() -> Int {
        let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        // Zero where the system doesn't say.
        let available = Int(clamping: os_proc_available_memory())
        return available > 0 ? min(physical, available) : physical
    }
}
#endif
