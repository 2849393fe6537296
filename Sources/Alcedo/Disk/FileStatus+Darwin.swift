#if canImport(Darwin)
import Foundation

extension stat {
    /// Seconds since 1970.
    var modificationSeconds: Int { st_mtimespec.tv_sec }
}
#endif
