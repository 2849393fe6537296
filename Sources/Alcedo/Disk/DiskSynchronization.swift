/// The policy for synchronizing writes with the device, so that they survive a power failure.
///
/// With every policy, written data survives the end of the program, however it ends.
public enum DiskSynchronization: String, Sendable, Hashable, CaseIterable {
    /// Never: after a power failure the latest entries may be gone, but a damaged entry is always detected.
    case never
    /// On a flush: everything written before it is on the device when it returns.
    ///
    /// Takes about 8 ms for each of those entries.
    case onFlush
    /// On each write, before the entry appears in the directory.
    ///
    /// Takes about 8 ms for each write, in the background.
    case always
}
