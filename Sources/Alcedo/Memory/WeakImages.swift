/// Images that were evicted for lack of room but are still in use elsewhere.
struct WeakImages: Sendable {
    /// An image that still exists.
    struct Entry {
        let value: MemoryEntry
        let expiry: Duration?

        var image: DecodedImage { value.image }
    }

    private struct Released: Sendable {
        let image: DecodedImage.Weak
        let byteCount: Int
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

    private var released = GroupedTable<ImageKey, Released>()
    /// The index of the image that was examined last.
    private var hand = 0

    /// The number of images, including unused ones that haven't been noticed yet.
    var count: Int { released.count }

    /// All images that still exist and haven't expired. O(entries).
    func contents(now: () -> Duration) -> [(key: ImageKey, entry: MemoryEntry)] {
        released.rows.compactMap { row in row.element.entry(now).map { (row.key, $0.value) } }
    }

    func entry(of key: ImageKey, now: () -> Duration) -> Entry? {
        released.index(of: key).flatMap { released[$0].element.entry(now) }
    }

    /// The smallest image of the same resource that can be used for `key`.
    func entry(
        serving key: ImageKey, now: () -> Duration, isUsable: (Freshness?) -> Bool = { _ in true }
    ) -> Entry? {
        let fitting = released.indices(of: key.resource).map { released[$0] }
            .filter { $0.key.variant.serves(key.variant) && isUsable($0.element.response?.freshness) }
            .sorted { $0.element.byteCount < $1.element.byteCount }
        // Only one image is retained, because releasing the last reference to another would free its pixels here.
        for row in fitting { if let entry = row.element.entry(now) { return entry } }
        return nil
    }

    /// Adds an image under a key that has none. Examines two others, so that at most about two thirds of the images are
    /// no longer in use.
    mutating func add(_ entry: borrowing MemoryEntry, for key: ImageKey, expiry: Duration?) {
        guard let image = DecodedImage.Weak(entry.image) else { return }
        for _ in 0..<2 { removeNextUnused() }
        released.append(
            key,
            Released(
                image: image, byteCount: entry.image.bitmap.byteCount, tags: entry.tags, response: entry.response,
                expiry: expiry))
    }

    private mutating func removeNextUnused() {
        hand = hand + 1 < count ? hand + 1 : 0
        if count > 0, !released[hand].element.image.isInUse { released.takeOut(hand) }
    }

    /// Renews the response of the images of a resource that have the same version.
    mutating func confirm(_ response: StoredResponse, _ resource: ResourceKey) {
        for at in released.indices(of: resource) where released[at].element.response?.version == response.version {
            released[at].element.response = response
        }
    }

    mutating func remove(_ key: ImageKey) {
        if let at = released.index(of: key) { released.takeOut(at) }
    }

    /// - Parameter keeps: Whether images of a response stay.
    mutating func remove(_ resource: ResourceKey, keeping keeps: (StoredResponse?) -> Bool = { _ in false }) {
        for at in released.indices(of: resource) where !keeps(released[at].element.response) {
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
