#if os(Linux)
import CShims

/// Tells the cores of the machine apart.
package enum CoreNumber {
    /// The cores that this process may run on. One system call: Foundation reads files of the system for its number.
    package static var count: Int { max(1, Int(alcedo_core_count())) }

    /// Of the one that this runs on, which may be another one already. Costs a nanosecond or two.
    @inline(__always)
    static var current: Int { Int(alcedo_core_number()) }
}
#endif
