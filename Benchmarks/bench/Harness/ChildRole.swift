/// What a child process of a peak case does.
enum ChildRole: String, CaseIterable, Sendable {
    /// Nothing: the peak of the program as such.
    case idle
    case ours
    case baseline
    /// Starts the external program and reports its peak.
    ///
    /// On Linux the `ru_maxrss` of a program starts at what the process that forked for it held. The parent has run
    /// other cases and may be large; a fresh process is as small as this program can be.
    case program
}
