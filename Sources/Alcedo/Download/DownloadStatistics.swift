/// What a loader's downloads have come to, counted since the loader was made.
public struct DownloadStatistics: Sendable, Hashable {
    /// Downloads that hold a slot now.
    public internal(set) var inFlight = 0
    /// Downloads that wait for one now.
    public internal(set) var queued = 0
    /// Those that wait, by the origin they wait for, such as "https://example.org".
    public internal(set) var queuedByHost: [String: Int] = [:]
    /// Attempts, retries among them. What a redirect asks in addition, or a server that can't continue a body, is not
    /// counted.
    public internal(set) var started = 0
    /// Callers that shared a download, or the whole load of a picture, that was under way.
    public internal(set) var coalesced = 0
    /// Attempts that were tried again.
    public internal(set) var retried = 0
    /// Downloads that continued where one before had ended.
    public internal(set) var resumed = 0
    /// Downloads that came whole.
    public internal(set) var succeeded = 0
    /// Downloads that ended with an error other than being cancelled.
    public internal(set) var failed = 0
    /// Downloads that were cancelled, as nobody waited for them any more.
    public internal(set) var cancelled = 0
    /// Bytes of bodies that came whole, less what was there before.
    public internal(set) var bytesReceived = 0
    /// Bytes of bodies that came after the last one who waited for them had left.
    public internal(set) var bytesWasted = 0
}
