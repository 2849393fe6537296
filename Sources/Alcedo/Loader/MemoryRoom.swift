import Synchronization

/// A number of bytes that several take parts of.
final class MemoryRoom: Sendable {
    private let free: Mutex<Int>

    /// - Parameter limit: bytes of all parts together.
    init(_ limit: Int) { free = Mutex(limit) }

    /// A part of it, which is given back when nobody holds it any more; nil when there is less left.
    func take(_ bytes: Int) -> Part? {
        let isThere = free.withLock { free in
            guard bytes >= 0, bytes <= free else { return false }
            free -= bytes
            return true
        }
        return isThere ? Part(self, bytes) : nil
    }

    /// What one has taken.
    final class Part: Sendable {
        private let room: MemoryRoom
        private let bytes: Int

        fileprivate init(_ room: MemoryRoom, _ bytes: Int) {
            self.room = room
            self.bytes = bytes
        }

        deinit { room.free.withLock { $0 += bytes } }
    }
}
