/// How fast a transfer has to be to keep a slot that another download waits for.
///
/// A slower one ends with ``ImageLoaderError/Timeout/tooSlow``. What it received is kept to be continued, and it is
/// retried only if no download waits for a slot then.
public struct MinimumRate: Sendable, Hashable {
    /// Bytes of the body per second, on average over ``period``; at least 1. Default 1024.
    public var bytesPerSecond = 1024
    /// How long a transfer may be slower while others wait; at least a second. Time in which no download
    /// waits for a slot isn't counted, and waiting for the response is. Default 30 seconds.
    public var period: Duration = .seconds(30)

    /// The defaults.
    public init() {}
}
