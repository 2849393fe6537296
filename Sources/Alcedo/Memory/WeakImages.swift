/// Images that were evicted for lack of room, as long as they are in use elsewhere.
struct WeakImages: Sendable {
    /// An image that still exists.
    struct Entry {
        let value: MemoryEntry
        let expiry: Duration?

        var image: DecodedImage { value.image }
    }

    private struct Released: Sendable {
        let image: DecodedImage.Weak
        let tags: Set<String>
        let freshness: Freshness?
        let expiry: Duration?

        /// The image, if it still exists and hasn't expired.
        func entry(_ now: () -> Duration) -> Entry? {
            guard let image = image.image else { return nil }
            if let expiry, expiry <= now() { return nil }
            return Entry(value: MemoryEntry(image, tags: tags, freshness: freshness), expiry: expiry)
        }
    }

    private var released = DenseTable<ImageKey, Released>()
    /// The count at which images that are no longer in use are pruned.
    private var pruneAt = 64

    /// Includes images that are no longer in use, until they are pruned.
    var count: Int { released.count }

    /// All images that still exist and haven't expired. O(entries).
    func contents(now: () -> Duration) -> [(key: ImageKey, entry: MemoryEntry)] {
        (0..<count).compactMap { at in
            released[at].element.entry(now).map { (released[at].key, $0.value) }
        }
    }

    func entry(of key: ImageKey, now: () -> Duration) -> Entry? {
        count == 0 ? nil : released.place(of: key).flatMap { released[$0].element.entry(now) }
    }

    /// The smallest image of a resource that serves another variant of it.
    func entry(serving key: ImageKey, now: () -> Duration) -> Entry? {
        var least: Entry?
        _ = released.place(near: key) { at in
            let other = released[at].key
            if other.resource == key.resource, other.variant.serves(key.variant),
                let entry = released[at].element.entry(now),
                least.map({ entry.image.bitmap.byteCount < $0.image.bitmap.byteCount }) ?? true
            {
                least = entry
            }
            return false
        }
        return least
    }

    mutating func add(_ entry: MemoryEntry, for key: ImageKey, expiry: Duration?) {
        remove(key)
        guard let image = DecodedImage.Weak(entry.image) else { return }
        released.append(key, Released(image: image, tags: entry.tags, freshness: entry.freshness, expiry: expiry))
        // Amortised O(1), because this runs when there are twice as many as were left the last time.
        if count >= pruneAt {
            keep { $0.element.image.image != nil }
            pruneAt = max(64, 2 * count)
        }
    }

    mutating func remove(_ key: ImageKey) {
        if count > 0, let at = released.place(of: key) { _ = released.takeOut(at) }
    }

    mutating func remove(_ resource: ResourceKey) {
        let key = ImageKey(resource)
        while count > 0, let at = released.place(near: key, where: { released[$0].key.resource == resource }) {
            _ = released.takeOut(at)
        }
    }

    mutating func removeAll(where matches: (ImageKey, MemoryEntry) -> Bool) {
        keep { row in row.element.entry { .zero }.map { !matches(row.key, $0.value) } ?? false }
    }

    private mutating func keep(_ isKept: (DenseTable<ImageKey, Released>.Row) -> Bool) {
        for at in (0..<count).reversed() where !isKept(released[at]) { _ = released.takeOut(at) }
    }
}
