import Foundation
import Synchronization

// What programs do with the cache itself.

extension MemoryCache {
    /// The image stored under `key`, if it is in memory and has not expired. Counts as a use.
    ///
    /// Never suspends, so a view can ask while it is drawn. May be called from any isolation; takes a lock for some
    /// 100 ns at most.
    ///
    /// - Parameters:
    ///   - key: The key from ``ImageLoader/key(for:)-(ImageRequest)``.
    ///   - largerServes: Whether a larger image of the same source may be returned, as it is, for a key with a target
    ///     size; see ``ImageRequest/Precision-swift.enum/atLeast``. Default: no.
    public nonisolated func image(for key: ImageKey, largerServes: Bool = false) -> DecodedImage? {
        find(key, largerServes: largerServes)?.image
    }

    /// Whether ``image(for:largerServes:)`` would return an image. Doesn't count as a use.
    public nonisolated func contains(_ key: ImageKey, largerServes: Bool = false) -> Bool {
        pictures.withLock { $0.contains(key, largerServes: largerServes, now: now) }
    }

    /// All images, in no particular order. O(n) in their number.
    public var entries: [CachedImage] {
        pictures.withLock { $0.contents(now: now) }.map { CachedImage($0.key, $0.entry) }
    }

    /// Stores `image` under `key` in place of what is there. Doesn't touch other sizes.
    ///
    /// An image that exceeds the limits is not stored. The cache keeps its pixels, which are shared, until the image is
    /// evicted, expires or is removed. Results of loads that began before a removal are never stored; this call is not
    /// such a result.
    ///
    /// - Parameters:
    ///   - image: the image; its cost is ``DecodedImage/byteCount``.
    ///   - key: what it is found by.
    ///   - tags: names it can be removed by.
    ///   - timeToLive: how long it is found, from now on; nil, the default, is ``Settings/timeToLive``.
    public func store(
        _ image: DecodedImage, for key: ImageKey, tags: Set<String> = [], timeToLive: Duration? = nil
    ) async {
        await store(MemoryEntry(image, tags: tags), for: key, timeToLive: timeToLive, begun: ticket())
    }

    /// Removes all sizes of the image that `key` names. A load that began before can't store it in this cache again.
    public func remove(_ key: ImageKey) { remove(key.resource) }

    /// Removes the selected images. A load that began before can't store its result in this cache: whether that would
    /// be selected isn't known yet. O(n) in the number of images.
    ///
    /// - Returns: how many images were removed, including evicted ones that are still in use.
    @discardableResult
    public func remove(_ selection: CacheSelection) -> Int {
        switch selection {
        case .all: return removeAll { _, _ in true }
        case .expired: return removeExpired()
        case .url(let url):
            let text = ResourceKey(text: url.absoluteString).text
            return removeAll { key, _ in key.resource.text == text }
        case .prefix(let prefix):
            return removeAll { key, _ in key.id == nil && key.resource.text.hasPrefix(prefix) }
        case .tag(let tag): return removeAll { _, entry in entry.tags.contains(tag) }
        }
    }

    /// Removes the images for which `matches` returns true; see ``remove(_:)-(CacheSelection)``.
    ///
    /// - Parameter matches: called once for each image, while stores wait, so it should return quickly.
    @discardableResult
    public func remove(where matches: @Sendable (CachedImage) -> Bool) -> Int {
        removeAll { key, entry in matches(CachedImage(key, entry)) }
    }
}
