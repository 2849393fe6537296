import CAllocationCounter

/// Measures the heap that something holds.
enum HeapGrowth {
    /// The bytes that `make` has allocated and not freed once the process is idle.
    static func bytes(_ make: () async throws -> Void) async throws -> Double {
        try await ProcessRest.wait()
        let before = Int(allocated_bytes())
        guard before > 0 else { throw BenchError("the heap can't be measured on this system") }
        try await make()
        try await ProcessRest.wait()
        return Double(Int(allocated_bytes()) - before)
    }
}
