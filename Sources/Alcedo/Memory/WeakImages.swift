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
        var response: StoredResponse?
        let expiry: Duration?

        /// The image, if it still exists and hasn't expired.
        func entry(_ now: () -> Duration) -> Entry? {
            guard let image = image.image else { return nil }
            if let expiry, expiry <= now() { return nil }
            return Entry(value: MemoryEntry(image, tags: tags, response: response), expiry: expiry)
        }
    }

    private var released = DenseTable<ImageKey, Released>()
    /// The index of the image that was examined last.
    private var hand = 0

    /// Includes images that are no longer in use, until they are found to be.
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
    func entry(
        serving key: ImageKey, now: () -> Duration, isUsable: (Freshness?) -> Bool = { _ in true }
    ) -> Entry? {
        var least: Entry?
        _ = released.place(near: key) { at in
            let other = released[at].key
            if other.resource == key.resource, other.variant.serves(key.variant),
                isUsable(released[at].element.response?.freshness), let entry = released[at].element.entry(now),
                least.map({ entry.image.bitmap.byteCount < $0.image.bitmap.byteCount }) ?? true
            {
                least = entry
            }
            return false
        }
        return least
    }

    /// Adds an image under a key that has none. Examines one or two others, so that at most about two thirds are no
    /// longer in use.
    mutating func add(_ entry: borrowing MemoryEntry, for key: ImageKey, expiry: Duration?) {
        guard let image = DecodedImage.Weak(entry.image) else { return }
        let new = Released(image: image, tags: entry.tags, response: entry.response, expiry: expiry)
        guard isNextUnused() else { return released.append(key, new) }
        _ = released.exchange(hand, key, new)
        if isNextUnused() { released.takeOut(hand) }
    }

    private mutating func isNextUnused() -> Bool {
        hand = hand + 1 < count ? hand + 1 : 0
        return count > 0 && !released[hand].element.image.isInUse
    }

    /// Renews the response of the images of a resource that are of its version.
    mutating func confirm(_ response: StoredResponse, _ resource: ResourceKey) {
        guard count > 0 else { return }
        var places: [Int] = []
        _ = released.place(near: ImageKey(resource)) { at in
            if released[at].key.resource == resource, released[at].element.response?.version == response.version {
                places.append(at)
            }
            return false
        }
        for at in places { released[at].element.response = response }
    }

    mutating func remove(_ key: ImageKey) {
        if count > 0, let at = released.place(of: key) { released.takeOut(at) }
    }

    /// - Parameter keeps: The version whose images stay.
    mutating func remove(_ resource: ResourceKey, keeping keeps: (StoredResponse?) -> Bool = { _ in false }) {
        guard count > 0 else { return }
        let key = ImageKey(resource)
        while let at = released.place(
            near: key,
            where: { released[$0].key.resource == resource && !keeps(released[$0].element.response) })
        {
            released.takeOut(at)
        }
    }

    mutating func removeAll(where matches: (ImageKey, MemoryEntry) -> Bool) {
        for at in (0..<count).reversed() {
            if let entry = released[at].element.entry({ .zero }), !matches(released[at].key, entry.value) { continue }
            released.takeOut(at)
        }
    }
}
