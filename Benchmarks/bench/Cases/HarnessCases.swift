/// Measurements with known results: the baselines against themselves, and allocations that can be counted by hand.
enum HarnessCases {
    static let all: [BenchCase] = [
        // Both sides are equal, so any difference from 1.0 is noise. A difference of that size in another case of the
        // run is noise too.
        .timed(
            "harness/mutex-dictionary", target: 1.1,
            ours: { MutexDictionary.lookUps() },
            baseline: .init("itself") { MutexDictionary.lookUps() }),
        .timed(
            "harness/file-read-10k",
            ours: { try BareFileRead.reads(bytes: 10_000) },
            baseline: .init("itself") { try BareFileRead.reads(bytes: 10_000) }),
        .timed(
            "harness/file-read-200k",
            ours: { try BareFileRead.reads(bytes: 200_000) },
            baseline: .init("itself") { try BareFileRead.reads(bytes: 200_000) }),
        .timed(
            "harness/file-write-10k",
            ours: { try BareFileWrite.writes(bytes: 10_000) },
            baseline: .init("itself") { try BareFileWrite.writes(bytes: 10_000) }),
        .timed(
            "harness/shared-task-join", operationsPerCall: 1_000,
            ours: { SharedTaskJoin.joins(waiters: 1_000) },
            baseline: .init("itself") { SharedTaskJoin.joins(waiters: 1_000) }),
        .timed("harness/one-object", ours: { objects }),
        .peak(
            "harness/buffer-peak", target: 1.1,
            ours: { _ in touch(megabytes: 32) },
            baseline: .child("itself") { _ in touch(megabytes: 32) }),
        // dd fills one block in memory, so its peak is known. This case compares whole processes, including their
        // libraries.
        .peak(
            "harness/program-peak",
            ours: { _ in touch(megabytes: 32) },
            baseline: .program("dd", path: "dd") { _ in
                ["if=/dev/zero", "of=/dev/null", "bs=32000000", "count=1", "status=none"]
            }),
    ]

    /// Allocates one object per operation. The case and the self-check count these objects.
    static let objects = Workload { iterations in
        for number in 0..<iterations { blackHole(MutexDictionary.Value(number: number)) }
    }

    /// Holds this many resident megabytes simultaneously.
    static func touch(megabytes: Int) {
        blackHole([UInt8](repeating: 1, count: megabytes * 1_000_000))
    }
}
