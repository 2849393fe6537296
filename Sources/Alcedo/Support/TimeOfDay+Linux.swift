#if os(Linux)
import Glibc

/// The time of day.
package enum TimeOfDay {
    /// The seconds since 1970, from the clock that the kernel updates every few milliseconds. Reading it takes only a
    /// few nanoseconds, so each look-up in memory can afford it.
    @Sendable package static func seconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec)
    }
}
#endif
