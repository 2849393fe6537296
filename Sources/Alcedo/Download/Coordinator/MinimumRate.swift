/// The minimum rate at which a transfer keeps a slot that another download waits for.
///
/// A slower transfer ends with ``ImageLoaderError/Timeout/tooSlow``. The bytes that it received are stored so that it
/// can be continued. It is retried only if no download waits for a slot at that time.
public struct MinimumRate: Sendable, Hashable {
    /// The minimum average over ``period``, in bytes of the body per second. At least 1. Default 1024.
    public var bytesPerSecond = 1024
    /// How long a transfer may be slower while other downloads wait. At least one second. Default 30 seconds.
    ///
    /// Time during which no download waits for a slot isn't counted; time spent waiting for the response is.
    public var period: Duration = .seconds(30)

    /// Creates a minimum rate with the default values.
    public init() {}
}
