#if canImport(Darwin)
import Foundation

typealias DirectoryStream = UnsafeMutablePointer<DIR>

extension stat {
    /// The modification time in seconds since 1970.
    var modificationSeconds: Int { st_mtimespec.tv_sec }
}

/// Uses `F_FULLFSYNC`, because `fsync` leaves the bytes in the device's own cache here.
func synchronizeWithDevice(_ file: Int32) -> Int32 { fcntl(file, F_FULLFSYNC) }

/// Lets no later write reach the device before earlier writes to a file, which may remain in the device's own cache.
/// Some file systems, such as those of servers, have only the full synchronization.
func orderOnDevice(_ file: Int32) -> Int32 {
    fcntl(file, F_BARRIERFSYNC) == 0 ? 0 : synchronizeWithDevice(file)
}

/// Opens a new file for reading and appending, and removes its name immediately.
func openUnnamedFile(_ directory: String) -> Int32 { openUnlinkedFile(directory) }

/// Fails: an unnamed file can't be named on Apple platforms.
func nameFile(_ file: Int32, _ path: String) -> Int32 {
    errno = ENOTSUP
    return -1
}

/// The system's identifier of the current boot; empty when it provides none.
func systemRun() -> String {
    var length = 0
    guard sysctlbyname("kern.bootsessionuuid", nil, &length, nil, 0) == 0, length > 0 else { return "" }
    var text = [UInt8](repeating: 0, count: length)
    guard sysctlbyname("kern.bootsessionuuid", &text, &length, nil, 0) == 0 else { return "" }
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
}

/// Apple platforms have no such calls, so entries are read on threads.
extension PosixSystemCalls {
    package func openWarmDirectory(_ path: String) -> Int32 {
        errno = ENOSYS
        return -1
    }

    package func openWarm(_ directory: Int32, _ path: String, isOwned: Bool) -> Int32 {
        errno = ENOSYS
        return -1
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        errno = ENOSYS
        return -1
    }
}
#endif
