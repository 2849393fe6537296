/// The task of a child process in a peak case.
enum ChildRole: String, CaseIterable, Sendable {
    /// Does nothing, to measure the peak of the program itself.
    case idle
    case ours
    case baseline
    /// Starts the external program and reports its peak.
    ///
    /// On Linux, a program's `ru_maxrss` starts at the memory of the process that forked for it. The parent has run
    /// other cases and may be large; a new process is as small as this program can be.
    case program
}
