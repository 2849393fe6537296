/// Pictures that were let go for want of room, for as long as somebody else uses them.
struct WeakImages: Sendable {
    /// A picture that is still there.
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

        /// What is there, if its time is not over.
        func entry(_ now: () -> Duration) -> Entry? {
            guard let value else { return nil }
            if let expiry, expiry <= now() { return nil }
            return Entry(value: value, expiry: expiry)
        }
    }

    /// Of one resource there are few.
    private var released: [ResourceKey: [Released]] = [:]
    /// Those too that nobody uses any more, until they are looked for.
    private(set) var count = 0
    /// The next time at which those nobody uses are looked for.
    private var pruneAt = 64

    /// All that is there and whose time is not over. O(entries).
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

    /// The least of a resource that does for another form of it.
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
        // O(1) for each, as it runs when there are twice as many as were left the last time.
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
