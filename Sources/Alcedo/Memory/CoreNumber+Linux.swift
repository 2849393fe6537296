#if os(Linux)
import CShims

/// Tells the cores of the machine apart.
enum CoreNumber {
    /// Of the one that this runs on, which may be another one already. Costs a nanosecond or two.
    @inline(__always)
    static var current: Int { Int(alcedo_core_number()) }
}
#endif
