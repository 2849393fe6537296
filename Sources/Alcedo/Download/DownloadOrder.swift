/// The order among downloads of equal priority that wait for the same host.
public enum DownloadOrder: Sendable, Hashable {
    /// The download that has waited longest starts first.
    case firstInFirstOut
    /// The download that arrived last starts first.
    ///
    /// In a list that is scrolled fast, this is what is on the screen now. Downloads that arrived early may wait for a
    /// long time.
    case lastInFirstOut
}
