import CAllocationCounter

/// Makes the optimizer believe that `value` is used, so that the work that produced it isn't removed.
///
/// `@inline(never)` alone isn't enough: the optimizer sees that an empty body ignores its argument. It can't see
/// through the call into C.
@inline(never)
func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { benchmark_sink($0) }
}
