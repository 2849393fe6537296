#if canImport(Darwin)
import Darwin

/// The process's soft limit of descriptors: often too low for both ends of many connections.
enum DescriptorLimit {
    /// Whether `count` descriptors are allowed now.
    static func raise(to count: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return false }
        if limit.rlim_cur < count { limit.rlim_cur = min(rlim_t(count), limit.rlim_max) }
        return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= count
    }
}
#endif
