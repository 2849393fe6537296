#if os(Linux)
import Foundation

extension MemoryBudget {
    /// The number of bytes that this process may use. Blocks: it reads about twenty small system files.
    static func readProcessLimit() -> Int {
        limit(physical: Int(clamping: ProcessInfo.processInfo.physicalMemory), read: { SystemFile.text(of: $0) })
    }
}
#endif
