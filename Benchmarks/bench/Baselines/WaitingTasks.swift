import Foundation

/// Tasks that all wait for the same event.
enum WaitingTasks {
    /// Returns the heap that each of `count` Tasks holds while it waits, in bytes, including its frames.
    ///
    /// - Parameters:
    ///   - release: Makes all calls of `load` return.
    ///   - load: Called in each Task with its number.
    @concurrent
    static func heap(
        _ count: Int, release: () -> Void, load: @escaping @Sendable (_ number: Int) async throws -> Void
    ) async throws -> Double {
        let started = Turn()
        var tasks: [Task<Void, any Error>] = []
        tasks.reserveCapacity(count)
        let bytes = try await HeapGrowth.bytes {
            for number in 0..<count {
                tasks.append(
                    Task {
                        started.next()
                        try await load(number)
                    })
            }
            while started.count < count { try await ProcessRest.wait() }
        }
        release()
        for task in tasks { try await task.value }
        return bytes / Double(count)
    }

    /// Returns the heap per Task of Tasks that do nothing but wait.
    static func bareHeap(_ count: Int) async throws -> Double {
        let gate = Gate()
        return try await heap(count, release: gate.open) { _ in await gate.wait() }
    }
}
