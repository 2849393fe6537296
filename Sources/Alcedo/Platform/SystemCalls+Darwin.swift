#if canImport(Darwin)
import Foundation

/// There are no such calls, so entries are read on threads.
extension PosixSystemCalls {
    package func openWarmDirectory(_ path: UnsafePointer<CChar>) -> Int32 {
        errno = ENOSYS
        return -1
    }

    package func openWarm(_ directory: Int32, _ path: UnsafePointer<CChar>, isOwned: Bool) -> Int32 {
        errno = ENOSYS
        return -1
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        errno = ENOSYS
        return -1
    }
}
#endif
