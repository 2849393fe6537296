#if os(Linux)
import CShims

/// Identifies the machine's cores.
package enum CoreNumber {
    /// The number of cores that this process may run on. Costs one system call, whereas Foundation reads system files.
    package static var count: Int { max(1, Int(alcedo_core_count())) }

    /// The number of the current core, which may have changed by the time this returns. Costs a nanosecond or two.
    @inline(__always)
    static var current: Int { Int(alcedo_core_number()) }
}
#endif
