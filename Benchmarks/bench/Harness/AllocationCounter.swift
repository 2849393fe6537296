import CAllocationCounter

/// Counts the allocator calls of the whole process, whichever thread makes them.
enum AllocationCounter {
    /// The calls made while `body` ran, nil where they cannot be counted.
    static func count(_ body: () async throws -> Void) async throws -> Int? {
        guard allocation_counter_available() else {
            try await body()
            return nil
        }
        allocation_counter_start()
        do {
            try await body()
        } catch {
            _ = allocation_counter_stop()
            throw error
        }
        return Int(allocation_counter_stop())
    }
}
