import CAllocationCounter

/// Counts the allocator calls of the whole process, on all threads.
enum AllocationCounter {
    /// Returns the number of calls while `body` ran; nil on systems where they can't be counted.
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
