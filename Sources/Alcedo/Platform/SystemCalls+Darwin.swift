#if canImport(Darwin)
import Foundation

/// There are no such calls, so no directory counts as local, and entries are read on threads.
extension PosixSystemCalls {
    package func isOnLocalDisk(_ file: Int32) -> Bool { false }

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
