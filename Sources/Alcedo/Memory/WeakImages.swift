/// Pictures that were let go for want of room, for as long as somebody else uses them.
struct WeakImages: Sendable {
    /// A picture that is still there.
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

        var value: MemoryEntry? {
            image.image.map { MemoryEntry($0, tags: tags, freshness: freshness) }
        }
    }

    private var released: [ImageKey: Released] = [:]
    /// The next time at which those nobody uses are looked for.
    private var pruneAt = 64

    /// Those too that nobody uses any more, until they are looked for; for tests.
    var count: Int { released.count }

    var contents: [(key: ImageKey, entry: MemoryEntry)] {
        released.compactMap { key, released in released.value.map { (key, $0) } }
    }

    func entry(of key: ImageKey, now: () -> Duration) -> Entry? {
        guard !released.isEmpty, let found = released[key], let value = found.value else { return nil }
        if let expiry = found.expiry, expiry <= now() { return nil }
        return Entry(value: value, expiry: found.expiry)
    }

    mutating func add(_ entry: MemoryEntry, for key: ImageKey, expiry: Duration?) {
        released[key] = Released(
            image: DecodedImage.Weak(entry.image), tags: entry.tags, freshness: entry.freshness, expiry: expiry)
        // O(1) for each, as it runs when there are twice as many as were left the last time.
        if released.count >= pruneAt { prune() }
    }

    mutating func remove(_ key: ImageKey) {
        if !released.isEmpty { released[key] = nil }
    }

    mutating func removeAll(where matches: (ImageKey, MemoryEntry) -> Bool) {
        guard !released.isEmpty else { return }
        released = released.filter { key, released in
            guard let value = released.value else { return false }
            return !matches(key, value)
        }
    }

    private mutating func prune() {
        released = released.filter { $0.value.image.image != nil }
        pruneAt = max(64, 2 * released.count)
    }
}
