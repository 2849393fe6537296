import Synchronization

/// The decoding, processing and encoding of a loader since its creation. Work that failed isn't counted.
public struct DecodeStatistics: Sendable, Hashable {
    /// Work that currently waits for a thread or for memory.
    public internal(set) var waiting = 0
    /// The times that work waited for its turn, including work that had it at once.
    public internal(set) var waits = DurationHistogram()
    /// How long decoding took, without waiting.
    public internal(set) var decodes = DurationHistogram()
    /// How long processing took, without waiting.
    public internal(set) var processes = DurationHistogram()
    /// How long decoding, processing and encoding took together for ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``,
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
