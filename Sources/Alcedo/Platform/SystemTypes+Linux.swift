#if os(Linux)
import Foundation

package typealias DirectoryStream = OpaquePointer

extension stat {
    /// Seconds since 1970.
    var modificationSeconds: Int { st_mtim.tv_sec }
}

/// `fsync`, which on Linux waits for the device.
func synchronizeWithDevice(_ file: Int32) -> Int32 { fsync(file) }

/// The system's identifier of the current boot; empty when it provides none. Blocks.
func systemRun() -> String { SystemFile.text(of: "/proc/sys/kernel/random/boot_id") ?? "" }
#endif
