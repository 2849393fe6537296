/// What is waited for until the device has it, so that it outlasts a failure of the power. A program that ends, however
/// it does, loses nothing that was written, with each of them.
public enum DiskSynchronization: String, Sendable, Hashable, CaseIterable {
    /// Nothing: after a failure of the power the latest entries may be gone, and no entry is damaged unnoticed.
    case never
    /// What was written before a flush, when that returns. Some 8 ms for each of those entries.
    case onFlush
    /// Each write, before the entry is there. Some 8 ms each, behind the caller's back.
    case always
}
