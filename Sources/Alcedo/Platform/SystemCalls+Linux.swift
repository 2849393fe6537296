#if os(Linux)
import CShims
import Foundation

extension PosixSystemCalls {
    package func openWarmDirectory(_ path: UnsafePointer<CChar>) -> Int32 { alcedo_open_warm_directory(path) }

    package func openWarm(_ directory: Int32, _ path: UnsafePointer<CChar>, isOwned: Bool) -> Int32 {
        alcedo_open_warm(directory, path, isOwned ? 1 : 0)
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        alcedo_read_warm(file, bytes, UInt(count))
    }
}
#endif
