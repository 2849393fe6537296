/// Images that were evicted for lack of room, as long as they are in use elsewhere.
struct WeakImages: Sendable {
    /// An image that still exists.
    struct Entry {
        let value: MemoryEntry
        let expiry: Duration?

        var image: DecodedImage { value.image }
    }

    private struct Released: Sendable {
        let variant: ImageVariant
        let image: DecodedImage.Weak
        let tags: Set<String>
        let freshness: Freshness?
        let expiry: Duration?

        var value: MemoryEntry? {
            image.image.map { MemoryEntry($0, tags: tags, freshness: freshness) }
        }

        /// The image, if it still exists and hasn't expired.
        func entry(_ now: () -> Duration) -> Entry? {
            guard let value else { return nil }
            if let expiry, expiry <= now() { return nil }
            return Entry(value: value, expiry: expiry)
        }
    }

    /// There are few per resource.
    private var released: [ResourceKey: [Released]] = [:]
    /// Includes images that are no longer in use, until they are pruned.
    private(set) var count = 0
    /// The count at which images that are no longer in use are pruned.
    private var pruneAt = 64

    /// All images that still exist and haven't expired. O(entries).
    func contents(now: () -> Duration) -> [(key: ImageKey, entry: MemoryEntry)] {
        released.flatMap { resource, all in
            all.compactMap { released in
                released.entry(now).map { (ImageKey(resource, released.variant), $0.value) }
            }
        }
    }

    func entry(of key: ImageKey, now: () -> Duration) -> Entry? {
        guard count > 0, let all = released[key.resource] else { return nil }
        let variant = key.variant
        return all.first { $0.variant == variant }?.entry(now)
    }

    /// The smallest image of a resource that serves another variant of it.
    func entry(serving key: ImageKey, now: () -> Duration) -> Entry? {
        guard count > 0, let all = released[key.resource] else { return nil }
        let variant = key.variant
        let serving = all.filter { $0.variant.serves(variant) }.compactMap { $0.entry(now) }
        return serving.min { $0.image.bitmap.byteCount < $1.image.bitmap.byteCount }
    }

    mutating func add(_ entry: MemoryEntry, for key: ImageKey, expiry: Duration?) {
        remove(key)
        guard let image = DecodedImage.Weak(entry.image) else { return }
        released[key.resource, default: []].append(
            Released(variant: key.variant, image: image, tags: entry.tags, freshness: entry.freshness, expiry: expiry))
        count += 1
        // Amortised O(1), because this runs when there are twice as many as were left the last time.
        if count >= pruneAt {
            keep { _, released in released.image.image != nil }
            pruneAt = max(64, 2 * count)
        }
    }

    mutating func remove(_ key: ImageKey) {
        guard count > 0, let all = released[key.resource] else { return }
        let variant = key.variant
        let rest = all.filter { $0.variant != variant }
        count -= all.count - rest.count
        released[key.resource] = rest.isEmpty ? nil : rest
    }

    mutating func remove(_ resource: ResourceKey) {
        if count > 0, let all = released.removeValue(forKey: resource) { count -= all.count }
    }

    mutating func removeAll(where matches: (ImageKey, MemoryEntry) -> Bool) {
        keep { resource, released in
            released.value.map { !matches(ImageKey(resource, released.variant), $0) } ?? false
        }
    }

    private mutating func keep(_ isKept: (ResourceKey, Released) -> Bool) {
        guard count > 0 else { return }
        for (resource, all) in released {
            let rest = all.filter { isKept(resource, $0) }
            count -= all.count - rest.count
            released[resource] = rest.isEmpty ? nil : rest
        }
    }
}
