/// Counts of downloads since their coordinator was created.
public struct DownloadStatistics: Sendable, Hashable {
    /// Downloads that currently have a slot.
    public internal(set) var running = 0
    /// Downloads that currently wait for a slot.
    public internal(set) var queued = 0
    /// Downloads that currently wait for a slot, by the name of their host, such as "example.org".
    public internal(set) var queuedByHost: [String: Int] = [:]
    /// Attempts, including retries.
    ///
    /// Requests that follow a redirect, or that start over because the server can't resume a body, aren't counted.
    public internal(set) var started = 0
    /// Callers that shared a download that was already under way, or its search on disk.
    public internal(set) var coalesced = 0
    /// Attempts that were retried.
    public internal(set) var retried = 0
    /// Downloads that continued where an earlier one had ended.
    public internal(set) var resumed = 0
    /// Downloads that completed.
    public internal(set) var succeeded = 0
    /// Downloads that ended with an error other than ``ImageLoaderError/cancelled``.
    public internal(set) var failed = 0
    /// Downloads that were cancelled because their last caller left.
    public internal(set) var cancelled = 0
    /// Bytes received for bodies that completed, excluding those that earlier downloads had received.
    public internal(set) var bytesReceived = 0
    /// Bytes of bodies that arrived after the last caller had left.
    public internal(set) var bytesWasted = 0
    /// The times that downloads waited for a slot before each attempt, including waits of zero.
    public internal(set) var slotWaits = DurationHistogram()
    /// The durations of successful attempts, from the request to the end of the body.
    public internal(set) var transfers = DurationHistogram()
}
