import Synchronization

/// A byte budget that several reservations share.
final class MemoryQuota: Sendable {
    private let free: Mutex<Int>

    /// - Parameter limit: The maximum number of bytes of all reservations together.
    init(_ limit: Int) { free = Mutex(limit) }

    /// Reserves a part of the quota until the reservation is released. Returns nil if less is left.
    func take(_ bytes: Int) -> Reservation? {
        let isThere = free.withLock { free in
            guard bytes >= 0, bytes <= free else { return false }
            free -= bytes
            return true
        }
        return isThere ? Reservation(self, bytes) : nil
    }

    /// A reserved part of the quota.
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
