#if os(Linux)
import CShims

package enum CoreCount {
    /// The number of cores that this process may run on. Costs one system call, whereas Foundation reads system files.
    package static var current: Int { max(1, Int(alcedo_core_count())) }
}
#endif
