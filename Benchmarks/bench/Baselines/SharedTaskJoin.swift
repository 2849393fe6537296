import Synchronization

/// The simplest coalescing: many Tasks await the value of one shared Task.
enum SharedTaskJoin {
    /// In each call, creates a shared Task and `waiters` Tasks that await it. With `waiters` operations per call, the
    /// result is the cost of one waiter, including its Task.
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
