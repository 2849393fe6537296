public import Foundation

// What programs do with the caches themselves.

extension ImageLoader {
    /// Stores a picture that the program made, as if it had been loaded for `request`, in place of everything that the
    /// caches have of its source. Loads that this loader began before can't undo it, and removing it meanwhile wins.
    ///
    /// A picture is found on disk as it was stored: pixels, opacity, colour profile, original size, and the animation
    /// with all its frames and delays.
    /// - Parameters:
    ///   - image: the picture; its pixels are shared.
    ///   - request: what it is found by.
    ///   - tiers: where it is kept. On disk an animation that was neither scaled nor converted is kept as the file that
    ///     it was decoded from, and anything else as PNG, which costs some 50 ms per megapixel and frame on other
    ///     threads.
    /// - Throws: before anything changes: ``ImageLoaderError/unsupportedConfiguration(_:)`` when the disk is asked for
    ///   and can't hold it (without a disk cache or PNG, for a picture of a ``ImageRequest/targetSize``, or for bytes
    ///   of the program's own and local files, which are never looked for there);
    ///   ``ImageLoaderError/encodingFailed(_:reason:)`` for a picture that PNG would change, because colours are above
    ///   the alpha of their pixel or a delay is no fraction of 16-bit numbers; the error that decoding it again would
    ///   throw; and what is wrong with the request.
    public func store(
        _ image: DecodedImage, for request: ImageRequest, in tiers: CacheTiers = .memory
    ) async throws(ImageLoaderError) {
        try validate(request, storing: tiers)
        if tiers.includesDisk, request.targetSize != nil {
            throw .unsupportedConfiguration("a scaled picture can't be stored on disk as the original")
        }
        let begun = await path.ticketsToStore(ResourceKey(request))
        let file = tiers.includesDisk ? try await path.file(of: image, for: request) : nil
        await path.store(image, file, for: request, in: tiers, begun)
    }

    /// Stores bytes that the program has, as if they had been downloaded for `request`; see
    /// ``store(_:for:in:)-(DecodedImage,_,_)``.
    ///
    /// They are decoded first, so that nothing is kept that could not be shown.
    /// - Parameters:
    ///   - data: a file's bytes, in a format that can be decoded.
    ///   - request: what they are found by.
    ///   - tiers: where they are kept; nil, the default, is wherever they are looked for.
    /// - Throws: before anything changes, the errors of decoding, what is wrong with the request, and
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)`` when the disk is asked for and can't hold them.
    public func store(
        _ data: Data, for request: ImageRequest, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        let tiers = tiers ?? defaultTiers(of: request)
        try validate(request, storing: tiers)
        if data.isEmpty { throw .emptyBody }
        let begun = await path.ticketsToStore(ResourceKey(request))
        let image = try await path.decoding.decode(data, as: ImageKey(request).variant)
        let file = tiers.includesDisk ? path.file(data, image.originalSize, for: request) : nil
        await path.store(image, file, for: request, in: tiers, begun)
    }

    /// Stores a picture with the file that it was decoded from: memory keeps the picture, the disk keeps the bytes. See
    /// ``store(_:for:in:)-(DecodedImage,_,_)``.
    ///
    /// Nothing is decoded: only the head of the file is read, and that it shows the picture is the caller's word.
    /// - Parameters:
    ///   - image: the picture as `request` asks for it, perhaps scaled; its pixels are shared.
    ///   - data: a file's bytes, in a format that can be decoded.
    ///   - request: what they are found by.
    ///   - tiers: where they are kept; nil, the default, is wherever they are looked for.
    /// - Throws: before anything changes, ``ImageLoaderError/emptyBody``, what is wrong with the head of the file or
    ///   with the request, and ``ImageLoaderError/unsupportedConfiguration(_:)`` when the disk is asked for and can't
    ///   hold them.
    public func store(
        _ image: DecodedImage, data: Data, for request: ImageRequest, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        let tiers = tiers ?? defaultTiers(of: request)
        try validate(request, storing: tiers)
        if data.isEmpty { throw .emptyBody }
        let begun = await path.ticketsToStore(ResourceKey(request))
        let size = try await path.decoding.header(of: data).uprightSize
        let file = tiers.includesDisk ? path.file(data, size, for: request) : nil
        await path.store(image, file, for: request, in: tiers, begun)
    }

    /// Where the bytes of a request are looked for.
    private func defaultTiers(of request: ImageRequest) -> CacheTiers {
        path.disk != nil && request.url?.isWebURL == true ? .all : .memory
    }

    private func validate(_ request: ImageRequest, storing tiers: CacheTiers) throws(ImageLoaderError) {
        try request.validate()
        guard tiers.includesDisk else { return }
        guard path.disk != nil else { throw .unsupportedConfiguration("there is no disk cache to store in") }
        guard let url = request.url, url.isWebURL else {
            throw .unsupportedConfiguration("only what a web server would send is looked for on disk")
        }
    }

    /// Removes the picture of `request`, in all its sizes, from memory and its bytes from disk. What other header
    /// fields or credentials brought from its URL stays; ``remove(_:)-(CacheSelection)`` takes that too. A load that
    /// began before can't bring them back, and callers from now on start a new one. Those who wait already get the
    /// picture.
    ///
    /// Other loaders on the same directory keep what they have in memory, and what they are loading they store.
    ///
    /// Returns when the file is gone, after the writes that were decided before; cancelling does not shorten that. A
    /// file that can't be removed is reported as ``LoadEvent/cacheFailed(_:)``.
    public func remove(_ request: ImageRequest) async {
        await path.remove(ResourceKey(request))
    }

    /// Removes some pictures from memory, and their bytes and what was made of those from disk, as
    /// ``remove(_:)-(ImageRequest)`` does for one request. Loads of others that began before are not kept either, as
    /// nobody knows yet what they will be. Looks at all pictures in memory.
    public func remove(_ selection: CacheSelection) async {
        await path.remove(selection)
    }

    /// Empties the memory cache and the disk cache; see ``remove(_:)-(ImageRequest)``.
    public func removeAll() async {
        await path.removeAll()
    }
}

// MARK: - Memory

extension ImageLoader {
    /// What was asked of the memory cache so far, and what it holds. Does not suspend; takes a lock for some
    /// nanoseconds.
    public var memoryStatistics: MemoryStatistics { path.memory.statistics }

    /// Removes pictures from memory, and returns how many. The disk keeps what it has. A load that began before can't
    /// bring them back to memory, and its pictures are not kept there. Looks at all pictures.
    @discardableResult
    public func removeFromMemory(_ selection: MemorySelection) async -> Int {
        await path.removeFromMemory { selection.contains($0, $1) }
    }

    /// Evicts pictures until no more than this part of the present decoded bytes is left: none at 0, all at 1. What
    /// somebody still uses is found for as long. The limits stay.
    public func trimMemory(toFraction fraction: Double) async {
        await path.memory.trim(toFraction: fraction)
    }

    /// Evicts pictures until no more than so many decoded bytes are left; see ``trimMemory(toFraction:)``.
    public func trimMemory(toCost cost: Int) async {
        await path.memory.trim(toCost: cost)
    }

    /// Gives the memory cache other limits. What is too much for them leaves at once; the time to live is that of
    /// pictures kept from now on. Whether pressure is watched does not change.
    public func changeMemory(_ settings: MemoryCache.Settings) async {
        await path.memory.change(settings)
    }
}

/// Where pictures are kept.
public enum CacheTiers: String, Sendable, Hashable, CaseIterable {
    /// In the memory cache alone.
    case memory
    /// In the disk cache alone.
    case disk
    /// In both.
    case all

    var includesMemory: Bool { self != .disk }
    var includesDisk: Bool { self != .memory }
}

/// Some of the pictures in both caches.
public enum CacheSelection: Sendable, Hashable {
    /// Those of one URL: in all sizes, and whatever else was sent with the request.
    case url(URL)
    /// Those whose URL begins so. Reads the end of every file on disk.
    case prefix(String)
    /// Those whose request had this tag when they were stored.
    case tag(String)

    var inMemory: MemorySelection {
        switch self {
        case .url(let url): .url(url)
        case .prefix(let prefix): .prefix(prefix)
        case .tag(let tag): .tag(tag)
        }
    }

    var onDisk: DiskSelection {
        switch self {
        case .url(let url): .url(url)
        case .prefix(let prefix): .prefix(prefix)
        case .tag(let tag): .tag(tag)
        }
    }
}

/// Some of the pictures in memory.
public enum MemorySelection: Sendable {
    /// All of them.
    case all
    /// Those of one URL: in all sizes, and whatever else was sent with the request.
    case url(URL)
    /// Those whose URL, as its request wrote it, begins so.
    case prefix(String)
    /// Those whose request had this tag.
    case tag(String)
    /// Those for which it returns true. It is called for each picture, while stores wait, so it should return at once.
    case matching(@Sendable (CachedImage) -> Bool)

    func contains(_ key: ImageKey, _ entry: MemoryEntry) -> Bool {
        switch self {
        case .all: true
        case .url(let url): key.resource.text == ResourceKey(text: url.absoluteString).text
        case .prefix(let prefix): key.resource.providedID == nil && key.resource.text.hasPrefix(prefix)
        case .tag(let tag): entry.tags.contains(tag)
        case .matching(let matches): matches(CachedImage(key, entry))
        }
    }
}

/// A picture in memory.
public struct CachedImage: Sendable {
    /// The URL as its request wrote it, without its fragment; nil for bytes of the program's own.
    public let url: String?
    /// The id of bytes of the program's own.
    public let id: String?
    /// Its size in pixels.
    public let size: PixelSize
    /// Its decoded bytes.
    public let cost: Int
    /// The tags of its request.
    public let tags: Set<String>
    /// How long the server's response that it came by may be used; nil where there was none, or it did not say.
    public let freshness: Freshness?

    init(_ key: ImageKey, _ entry: MemoryEntry) {
        url = key.resource.providedID == nil ? key.resource.text : nil
        id = key.resource.providedID
        size = entry.image.size
        cost = entry.cost
        tags = entry.tags
        freshness = entry.freshness
    }
}
