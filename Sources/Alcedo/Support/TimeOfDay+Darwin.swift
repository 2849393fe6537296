#if canImport(Darwin)
import Darwin

/// The time of day.
package enum TimeOfDay {
    /// The seconds since 1970.
    @Sendable package static func seconds() -> Int64 { Int64(time(nil)) }
}
#endif
