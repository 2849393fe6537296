import CAllocationCounter

/// Uses `value`, as far as the optimiser can tell, so that the work that made it is not removed.
///
/// `@inline(never)` alone would not do: the optimiser sees that an empty body ignores its argument. The call into C
/// is what it cannot see through.
@inline(never)
func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { benchmark_sink($0) }
}
