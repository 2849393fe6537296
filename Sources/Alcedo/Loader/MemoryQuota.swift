import Synchronization

/// A number of bytes that several take parts of.
final class MemoryQuota: Sendable {
    private let free: Mutex<Int>

    /// - Parameter limit: bytes of all parts together.
    init(_ limit: Int) { free = Mutex(limit) }

    /// A part of it, which is given back when nobody holds it any more; nil when there is less left.
    func take(_ bytes: Int) -> Reservation? {
        let isThere = free.withLock { free in
            guard bytes >= 0, bytes <= free else { return false }
            free -= bytes
            return true
        }
        return isThere ? Reservation(self, bytes) : nil
    }

    /// What one has taken.
    final class Reservation: Sendable {
        private let quota: MemoryQuota
        private let bytes: Int

        fileprivate init(_ quota: MemoryQuota, _ bytes: Int) {
            self.quota = quota
            self.bytes = bytes
        }

        deinit { quota.free.withLock { $0 += bytes } }
    }
}
