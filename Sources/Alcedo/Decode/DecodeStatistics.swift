import Synchronization

/// The decoding and processing of a loader since its creation.
public struct DecodeStatistics: Sendable, Hashable {
    /// Decodes that currently wait for a thread or for memory.
    public internal(set) var waiting = 0
    /// How long decoding took, waiting included. Failed decodes aren't counted.
    public internal(set) var decodes = DurationHistogram()
    /// How long processing took, waiting included. Failures aren't counted.
    public internal(set) var processes = DurationHistogram()
}

extension DecodeGate {
    var statistics: DecodeStatistics {
        var statistics = durations.withLock { $0 }
        statistics.waiting = line.count
        return statistics
    }

    @inline(never) func recordDecode(_ duration: Duration) { durations.withLock { $0.decodes.record(duration) } }

    @inline(never) func recordProcess(_ duration: Duration) { durations.withLock { $0.processes.record(duration) } }
}
