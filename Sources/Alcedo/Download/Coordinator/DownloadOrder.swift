/// The order among downloads of equal priority that wait for the same host.
public enum DownloadOrder: Sendable, Hashable {
    /// The download of the load that began first starts first.
    case firstInFirstOut
    /// The download of the load that began last starts first.
    ///
    /// In a list that is scrolled fast, this is what is on the screen now. Downloads of early loads may wait for a long
    /// time.
    case lastInFirstOut
}
