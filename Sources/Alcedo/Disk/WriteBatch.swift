import Synchronization

/// The bodies to be written by one order. More can join until the writer begins.
final class WriteBatch: Sendable {
    /// Nil once the writer has begun.
    private let writings: Mutex<[DiskWork.Writing]?>

    /// The maximum number of bodies. More would keep too many files open, and too many bodies in memory that may be
    /// replaced before they are written.
    private static let most = 32

    init(_ first: DiskWork.Writing) { writings = Mutex([first]) }

    /// Adds a body. Returns false if the writer has begun or the batch is full.
    func add(_ writing: DiskWork.Writing) -> Bool {
        writings.withLock { writings in
            guard let count = writings?.count, count < Self.most else { return false }
            writings?.append(writing)
            return true
        }
    }

    func begin() -> [DiskWork.Writing] { writings.withLock { $0.take() ?? [] } }
}
