#if os(Linux)
import Foundation

extension MemoryBudget {
    /// Bytes that this process may use. Blocks: it reads some twenty small files of the system's.
    static func readProcessLimit() -> Int {
        limit(physical: Int(clamping: ProcessInfo.processInfo.physicalMemory), read: { SystemFile.text(of: $0) })
    }
}
#endif
