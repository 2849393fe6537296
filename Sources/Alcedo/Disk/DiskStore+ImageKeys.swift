public import Foundation

// The store's public interface, which identifies entries by image keys.
//
// An image key identifies exactly one entry: the bytes of an original, or an image scaled from them. Converting an
// image key to a disk key fails only if the directory's own key can't be read or created. Such a failure is reported,
// and counts as a miss.

extension DiskStore {
    /// Returns the bytes stored under `key`: those of the original, or of the scaled image if the key has a size.
    ///
    /// Returns nil if they are absent, expired, unreadable or damaged. Counts as a use.
    ///
    /// Reads one file: immediately if the system has it in memory, and otherwise on the store's threads. Reads further
    /// files only if the entry isn't where it was expected, or isn't in the store's own directory but may be in a
    /// bundled one. Returns immediately when the calling Task is cancelled.
    public nonisolated func data(for key: ImageKey) async -> Data? {
        guard let diskKey = await diskKey(key) else { return nil }
        return await entry(for: diskKey)?.body
    }

    /// Whether an entry is stored under `key`, according to the index and the end of the file.
    ///
    /// Doesn't count as a use.
    public nonisolated func contains(_ key: ImageKey) async -> Bool {
        guard let diskKey = await diskKey(key) else { return false }
        return await contains(diskKey)
    }

    /// Describes the entry of `key`; nil if there is none.
    ///
    /// Waits until the entry has been written, and reads the end of its file. Doesn't count as a use.
    public nonisolated func entry(for key: ImageKey) async -> DiskEntry? {
        guard let diskKey = await diskKey(key) else { return nil }
        return await info(of: diskKey)
    }

    /// The name of the entry for `key`, whether or not it exists; see ``DiskEntry/digest``.
    ///
    /// Returns nil for bytes provided by the program, and if the directory's key can't be read or created.
    public nonisolated func digest(for key: ImageKey) async -> String? { await diskKey(key)?.name.text }

    /// The file of the entry for `key`, whether or not it exists.
    ///
    /// It may be replaced or removed at any time. Returns nil in the same cases as ``digest(for:)``.
    public nonisolated func fileURL(for key: ImageKey) async -> URL? {
        await diskKey(key).map { URL(fileURLWithPath: work.path(of: $0.name)) }
    }

    /// Stores bytes under `key`, replacing any existing entry.
    ///
    /// The bytes are neither decoded nor checked.
    ///
    /// Returns before the bytes are written; look-ups find them from now on. ``flush()`` waits for the file. Bytes that
    /// can't be written or exceed the limits are not stored, and an event is reported.
    ///
    /// - Parameters:
    ///   - data: The bytes of an image file.
    ///   - key: The key under which to store them. A loader looks for an original under a key without a size.
    ///   - tags: Names by which they can be removed.
    ///   - timeToLive: How long they can be found, from now on, to the second. Default: nil, which applies
    ///     ``Settings/timeToLive``.
    /// - Throws: ``ImageLoaderError/emptyBody``, and ``ImageLoaderError/unsupportedConfiguration(_:)`` for a key of
    ///   bytes provided by the program, which are never looked for on disk.
    public nonisolated func store(
        _ data: Data, for key: ImageKey, tags: Set<String> = [], timeToLive: Duration? = nil
    ) async throws(ImageLoaderError) {
        guard key.id == nil else { throw .unsupportedConfiguration("only images with a URL are stored on disk") }
        if data.isEmpty { throw .emptyBody }
        guard let diskKey = await diskKey(key, evenIfCancelled: true) else { return }
        var metadata = EntryMetadata(source: diskKey.source)
        metadata.tags = tags
        metadata.storedAt = time.secondsSince1970()
        metadata.format = ImageFormat(sniffing: data)
        if key.variant.isMade { metadata.original = await self.diskKey(key.original)?.text }
        await store(data, metadata, for: diskKey, expires: expiry(after: timeToLive), begun: ticket())
    }

    /// Removes the original's bytes and everything made from them.
    ///
    /// They are gone from the disk on return. A load that began earlier can't store them in this store again.
    public nonisolated func remove(_ key: ImageKey) async {
        await remove(key.resource)
    }

    /// Removes the entries for which `matches` returns true; see ``remove(_:)-(CacheSelection)``.
    ///
    /// Reads the end of every file.
    @discardableResult
    public func remove(where matches: @Sendable (DiskEntry) -> Bool) async -> [RemovedEntry] {
        await caughtUp()
        return await removeAll(where: matches)
    }

    /// Returns all entries, least recently used first.
    ///
    /// Reads the end of each file, which takes about 5 µs per file.
    ///
    /// - Parameter includingExpired: Whether to include expired entries whose files still exist. Default: false.
    public func entries(includingExpired: Bool = false) async -> [DiskEntry] {
        var entries: [DiskEntry] = []
        await forEachEntry(includingExpired: includingExpired) { entries += $0 }
        return entries
    }

    // MARK: Disk keys

    func remove(_ resource: ResourceKey) async {
        if let key = await key(of: resource, evenIfCancelled: true) {
            await remove(key)
        } else {
            // Without the directory's key the entry can't be determined, so all entries of its URL are removed.
            await remove(source: resource.text.splitUserInfo.text)
        }
    }

    private nonisolated func diskKey(_ key: ImageKey, evenIfCancelled: Bool = false) async -> StoredKey? {
        guard key.id == nil, let diskKey = await self.key(of: key.resource, evenIfCancelled: evenIfCancelled) else {
            return nil
        }
        return !key.variant.isMade ? diskKey : diskKey.made(as: key.variant.text)
    }

    /// The disk key of a resource's bytes.
    ///
    /// Anything other than the URL that selects the bytes may be secret, so the key contains only its digest under the
    /// directory's own key. The first such resource reads that key, or creates it if there is none. If that fails, the
    /// failure is reported and the result is nil.
    ///
    /// - Parameter evenIfCancelled: Whether to wait for the directory's key even if the calling Task is cancelled;
    ///   otherwise, nil is returned immediately in that case.
    nonisolated func key(of resource: ResourceKey, evenIfCancelled: Bool = false) async -> StoredKey? {
        let (text, secret, _) = resource.splitSecret
        return await key(text, secret: secret, evenIfCancelled: evenIfCancelled)
    }

    package nonisolated func key(_ source: String, secret: String, evenIfCancelled: Bool = false) async -> StoredKey? {
        if secret.isEmpty { return StoredKey(source) }
        if secret.utf8.count <= Self.maximumBytesDigestedHere, let key = work.knownKey {
            return StoredKey(source, secret: secret, under: key)
        }
        let make = { @Sendable [work] in work.ownKey().map { StoredKey(source, secret: secret, under: $0) } }
        return evenIfCancelled ? await readers.run(make) : await readers.runUnlessCancelled(make) ?? nil
    }

    /// The maximum number of bytes of a secret that is digested on the calling thread. Longer ones, such as a request's
    /// body, are digested on another thread.
    private static let maximumBytesDigestedHere = 8 << 10

    /// When an entry stored now expires, in seconds since 1970; nil applies the store's time to live.
    nonisolated func expiry(after timeToLive: Duration?) -> Int64? {
        time.expiry(after: timeToLive)
    }
}
