/// What downloads have come to, counted since their coordinator was made.
public struct DownloadStatistics: Sendable, Hashable {
    /// Downloads that have a slot now.
    public internal(set) var running = 0
    /// Downloads that wait for a slot now.
    public internal(set) var queued = 0
    /// Downloads that wait for a slot now, by origin, such as "https://example.org".
    public internal(set) var queuedByHost: [String: Int] = [:]
    /// Attempts, including retries. Requests that follow a redirect, or that start over because the server can't resume
    /// a body, aren't counted.
    public internal(set) var started = 0
    /// Callers that shared a download that was under way.
    public internal(set) var coalesced = 0
    /// Attempts that were retried.
    public internal(set) var retried = 0
    /// Downloads that resumed where an earlier one had ended.
    public internal(set) var resumed = 0
    /// Downloads that completed.
    public internal(set) var succeeded = 0
    /// Downloads that ended with an error other than ``ImageLoaderError/cancelled``.
    public internal(set) var failed = 0
    /// Downloads that were cancelled when their last caller had left.
    public internal(set) var cancelled = 0
    /// Bytes received of bodies that completed, without those of earlier downloads.
    public internal(set) var bytesReceived = 0
    /// Bytes of bodies that arrived after their last caller had left.
    public internal(set) var bytesWasted = 0
}
