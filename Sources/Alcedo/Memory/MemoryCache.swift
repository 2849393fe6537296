import Synchronization

/// Decoded pictures, ready to be drawn.
///
/// The actor is the only writer. Its table is published for one reader, the look-up, which takes the lock for some
/// nanoseconds, so that a view gets its picture in the frame it asks in.
package actor MemoryCache {
    package typealias Ticket = RemovalLog<ImageKey>.Ticket

    private nonisolated let table: Mutex<EvictionTable<ImageKey, DecodedImage>>
    private var removals = RemovalLog<ImageKey>()

    /// - Parameter costLimit: decoded bytes held at most.
    package init(costLimit: Int) {
        table = Mutex(EvictionTable(limits: EvictionLimits(cost: costLimit)))
    }

    /// The picture of `key`, if it is here. Neither suspends nor allocates, from any isolation.
    package nonisolated func image(for key: ImageKey) -> DecodedImage? {
        table.withLock { $0.lookUp(key, now: .zero) }
    }

    /// To be taken when the work begins whose result will be stored.
    package func ticket() -> Ticket { removals.ticket() }

    /// Keeps a picture, unless its key was removed since `ticket` was taken or it is larger than the whole cache.
    package func store(_ image: DecodedImage, for key: ImageKey, begun ticket: Ticket) {
        guard removals.permits(ticket, key) else { return }
        _ = table.withLock { $0.store(image, cost: image.bitmap.byteCount, for: key) }
    }

    package func remove(_ key: ImageKey) {
        removals.record(key)
        table.withLock { _ = $0.remove(key) }
    }

    package func removeAll() {
        removals.recordAll()
        _ = table.withLock { $0.removeAll() }
    }
}
