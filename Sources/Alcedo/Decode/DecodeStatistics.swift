import Synchronization

/// Statistics of a loader's decoding, processing and encoding since its creation. Failed work isn't counted.
public struct DecodeStatistics: Sendable, Hashable {
    /// The amount of work that is currently waiting for a thread or for memory.
    public internal(set) var waiting = 0
    /// The time that work waited for its turn, including work that didn't have to wait.
    public internal(set) var waits = DurationHistogram()
    /// The time spent decoding, without waiting.
    public internal(set) var decodes = DurationHistogram()
    /// The time spent processing, without waiting.
    public internal(set) var processes = DurationHistogram()
    /// The time spent decoding, processing and encoding together for ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``,
    /// without waiting; encoding alone if an ``AsyncImageProcessing`` took part.
    public internal(set) var encodes = DurationHistogram()
}

extension DecodeGate {
    var statistics: DecodeStatistics {
        var statistics = durations.withLock { $0 }
        statistics.waiting = counts.waiting + waiting.counts.waiting
        return statistics
    }
}
