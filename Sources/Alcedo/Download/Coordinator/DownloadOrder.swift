/// The order among downloads of equal priority that wait for the same host.
public enum DownloadOrder: Sendable, Hashable {
    /// The download of the load that began first starts first.
    case firstInFirstOut
    /// The download of the load that began last starts first.
    ///
    /// In a list that scrolls fast, these are the loads of the images now on the screen. Downloads of early loads may
    /// wait for a long time.
    case lastInFirstOut
}
