import Foundation
import Synchronization

// The cache's public interface.

extension MemoryCache {
    /// Returns the image stored under `key`, if it is in memory, hasn't expired, and needs no validation by its
    /// server; see ``Settings/reuseWindow``.
    ///
    /// Counts as a use. Never suspends, so a view can call it while drawing. May be called from any isolation; holds a
    /// lock for a fraction of a microsecond, or longer if thousands of sizes of the image are in memory.
    ///
    /// - Parameters:
    ///   - key: The key from ``ImageLoader/key(for:)-(ImageRequest)``.
    ///   - largerServes: Whether a larger image of the same source may be returned, unchanged, for a key with a target
    ///     size; see ``ImageRequest/Precision-swift.enum/atLeast``. Default: false.
    public nonisolated func image(for key: ImageKey, largerServes: Bool = false) -> DecodedImage? {
        find(key, largerServes: largerServes)?.image
    }

    /// Whether ``image(for:largerServes:)`` would return an image.
    ///
    /// Doesn't count as a use.
    public nonisolated func contains(_ key: ImageKey, largerServes: Bool = false) -> Bool {
        isThere(key, largerServes)
    }

    /// All images, in no particular order.
    ///
    /// O(n) in the number of images.
    public var entries: [CachedImage] {
        pictures.withLock { $0.contents(now: now) }.map { CachedImage($0.key, $0.entry) }
    }

    /// Stores `image` under `key`, replacing any image there.
    ///
    /// Other sizes of the image aren't affected. An image that exceeds the limits is not stored. The cache shares the
    /// image's pixels and keeps them until the image is evicted, expires or is removed. Earlier removals don't affect
    /// this call; they only prevent loads that began before them from storing their results.
    ///
    /// - Parameters:
    ///   - image: The image; its cost is ``DecodedImage/byteCount``.
    ///   - key: The key under which to store it.
    ///   - tags: Names by which the image can be removed.
    ///   - timeToLive: How long the image can be found, from now on. Default: nil, which applies
    ///     ``Settings/timeToLive``.
    public nonisolated func store(
        _ image: DecodedImage, for key: ImageKey, tags: Set<String> = [], timeToLive: Duration? = nil
    ) async {
        await store(MemoryEntry(image, tags: tags), key, timeToLive, nil, .nothing)
    }

    /// Removes all sizes of the image identified by `key`.
    ///
    /// A load that began earlier can't store it in this cache again.
    public func remove(_ key: ImageKey) { remove(key.resource) }

    /// Removes the selected images.
    ///
    /// A load that began earlier can't store its result in this cache, because it isn't known yet whether the result
    /// would be selected. O(n) in the number of images.
    ///
    /// - Returns: The number of images removed, including evicted ones that are still in use.
    @discardableResult
    public func remove(_ selection: CacheSelection) -> Int { remove(selection, by: nil) }

    /// - Parameter keys: Makes the keys of URLs; nil if each URL is its own key.
    @discardableResult
    func remove(_ selection: CacheSelection, by keys: CacheKeyPolicy?) -> Int {
        switch selection {
        case .all: return removeAll { _, _ in true }
        case .expired: return removeExpired()
        case .url(let url):
            let text = ResourceKey(ImageRequest(url: url), in: KeyScope(keys: keys)).text.splitUserInfo.text
            return removeAll { key, _ in key.resource.text.splitUserInfo.text == text }
        case .prefix(let prefix):
            let text = ParsedURL.normalPrefix(prefix).splitUserInfo.text
            return removeAll { key, _ in key.id == nil && key.resource.text.splitUserInfo.text.hasPrefix(text) }
        case .tag(let tag): return removeAll { _, entry in entry.tags.contains(tag) }
        }
    }

    /// Removes the images for which `matches` returns true; see ``remove(_:)-(CacheSelection)``.
    ///
    /// - Parameter matches: Called once for each image. No image can be stored while it runs, so it should return
    ///   quickly.
    @discardableResult
    public func remove(where matches: @Sendable (CachedImage) -> Bool) -> Int {
        removeAll { key, entry in matches(CachedImage(key, entry)) }
    }
}
