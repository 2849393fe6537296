#if os(Linux)
import CShims
import Foundation

typealias DirectoryStream = OpaquePointer

extension stat {
    /// Seconds since 1970.
    var modificationSeconds: Int { st_mtim.tv_sec }
}

/// `fsync`, which on Linux waits for the device.
func synchronizeWithDevice(_ file: Int32) -> Int32 { fsync(file) }

/// The system's identifier of the current boot; empty when it provides none. Blocks.
func systemRun() -> String { SystemFile.text(of: "/proc/sys/kernel/random/boot_id") ?? "" }

extension PosixSystemCalls {
    package func openWarmDirectory(_ path: String) -> Int32 { alcedo_open_warm_directory(path) }

    package func openWarm(_ directory: Int32, _ path: String, isOwned: Bool) -> Int32 {
        // Without an allocation, unlike a string as the argument.
        path.withCString { alcedo_open_warm(directory, $0, isOwned ? 1 : 0) }
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        alcedo_read_warm(file, bytes, UInt(count))
    }
}
#endif
