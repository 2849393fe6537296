import Synchronization

/// Coalescing as one would write it: many Tasks await the value of one shared Task.
enum SharedTaskJoin {
    /// One call makes the shared Task and `waiters` Tasks that await it; with `waiters` operations per call a figure
    /// is the cost of one waiter, its Task included.
    static func joins(waiters: Int) -> Workload {
        Workload { iterations in
            for _ in 0..<iterations { await join(waiters: waiters) }
        }
    }

    private static func join(waiters: Int) async {
        let gate = Gate()
        let shared = Task {
            await gate.wait()
            return MutexDictionary.Value(number: waiters)
        }
        let arrivals = Arrivals(expected: waiters, gate: gate)
        await withDiscardingTaskGroup { group in
            for _ in 0..<waiters {
                group.addTask {
                    arrivals.arrive()
                    blackHole(await shared.value)
                }
            }
        }
    }
}
