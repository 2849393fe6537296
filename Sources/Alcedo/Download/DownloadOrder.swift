/// Which of the downloads that wait for one host with one priority goes first.
public enum DownloadOrder: Sendable, Hashable {
    /// The one that has waited longest.
    case firstInFirstOut
    /// The one that came last: in a list that is scrolled fast, what is on the screen now. Those that came early may
    /// wait for long.
    case lastInFirstOut
}
