#if os(Linux)
import Foundation

extension stat {
    /// Seconds since 1970.
    var modificationSeconds: Int { st_mtim.tv_sec }
}
#endif
