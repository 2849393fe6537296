#if os(Linux)
import Foundation

extension MemoryBudget {
    /// Bytes that this process may use, as it was when first asked: reading it takes some twenty small files of the
    /// system's.
    static let processMemoryLimit = limit(
        physical: Int(clamping: ProcessInfo.processInfo.physicalMemory), read: { SystemFile.text(of: $0) })
}
#endif
